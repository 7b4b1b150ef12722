// The chips of a search: a chart of all, ranges, a table of what is shown, and two side by side.

import type { Search, Study } from "../data";
import { button, freshId, h, select } from "../dom";
import { digits, percent, quantity } from "../format";
import { ramp, onThemeChange } from "../theme";
import { compareKeys, sortableTable, type Column } from "../table";
import { Explorer } from "./explorer_state";
import { makePoints, type Metric, type State } from "./points";
import { scaleOf, scatter } from "./scatter";

const STATES: Record<State, string> = {
  evaluated: "evaluated",
  excluded: "excluded by a bound",
  dominated: "excluded: another chip has no less of anything",
};

function controls(state: Explorer): HTMLElement {
  const options = state.points.metrics.map((metric) => ({ value: metric.key, text: metric.label }));
  const choose = (label: string, chosen: string, set: (key: string) => void): HTMLElement =>
    select(label, options, chosen, (key) => state.change(() => set(key)));
  return h(
    "div",
    { class: "controls no-print" },
    choose("Across", state.x, (key) => (state.x = key)),
    choose("Up", state.y, (key) => (state.y = key)),
    choose("Colour", state.colour, (key) => (state.colour = key)),
  );
}

function legend(state: Explorer): HTMLElement {
  const counts: Record<State, number> = { evaluated: 0, excluded: 0, dominated: 0 };
  for (const each of state.points.states) {
    counts[each] += 1;
  }
  const boxes = (Object.keys(STATES) as State[]).map((each) => {
    const id = freshId("state");
    const box = h("input", {
      type: "checkbox",
      id,
      checked: true,
      change: (event: Event) => state.change(() => (state.shown[each] = (event.target as HTMLInputElement).checked)),
    });
    return h(
      "span",
      { class: "field" },
      box,
      h(
        "label",
        { for: id },
        h("i", { class: each === "evaluated" ? "dot" : "dash" }),
        `${STATES[each]}: `,
        h("b", { "data-count": each }, digits(counts[each])),
      ),
    );
  });
  const scale = h("span", { class: "scale-bar" });
  const draw = (): void => {
    const metric = state.metric(state.colour);
    const range = scaleOf(metric.values, state.selected());
    const bar = h("i", { class: "ramp" });
    bar.style.background = `linear-gradient(to right, ${[0, 0.25, 0.5, 0.75, 1].map(ramp).join(",")})`;
    scale.replaceChildren(
      metric.label,
      " ",
      quantity(Number(range.low.toPrecision(3)), metric.unit),
      " ",
      bar,
      " ",
      quantity(Number(range.high.toPrecision(3)), metric.unit),
    );
  };
  draw();
  state.listen(draw);
  onThemeChange(draw);
  return h("div", { class: "controls legend" }, ...boxes, scale);
}

function ranges(state: Explorer): HTMLElement {
  const box = h("div", { class: "controls ranges", "aria-live": "polite" });
  const draw = (): void => {
    const shown = state.selected().length;
    const chips = [...state.ranges].map(([key, [low, high]]) => {
      const metric = state.metric(key);
      const text = `${metric.label} ${quantity(low, metric.unit)} to ${quantity(high, metric.unit)}`;
      return button(`${text} ✕`, () => state.change(() => state.ranges.delete(key)), {
        class: "chip-button",
        "aria-label": `Remove the range ${text}`,
      });
    });
    box.replaceChildren(
      h("span", {}, h("b", { "data-shown": shown }, digits(shown)), ` of ${digits(state.points.count)} chips shown. `),
      ...chips,
      state.ranges.size > 0
        ? button("Show all", () => state.change(() => state.ranges.clear()))
        : h(
            "span",
            { class: "hint no-print" },
            "Drag over the chart to keep a part of it; press a point to pin its chip; up to two are compared.",
          ),
    );
  };
  draw();
  state.listen(draw);
  return box;
}

// The same as dragging over the chart, by keys.
function rangeInputs(state: Explorer): HTMLElement {
  const box = h("div", { class: "controls" });
  const input = (metric: Metric, end: 0 | 1): HTMLElement => {
    const id = freshId("range");
    const range = state.ranges.get(metric.key);
    const field = h("input", {
      id,
      type: "number",
      step: "any",
      value: range ? Number((range[end] as number).toPrecision(6)) : "",
      change: (event: Event) => {
        const text = (event.target as HTMLInputElement).value;
        const next: [number, number] = [...(state.ranges.get(metric.key) ?? [-Infinity, Infinity])] as [number, number];
        next[end] = text === "" ? (end === 0 ? -Infinity : Infinity) : Number(text);
        state.change(() => state.ranges.set(metric.key, next));
      },
    });
    return h(
      "span",
      { class: "field" },
      h("label", { for: id }, `${metric.label} ${end === 0 ? "from" : "to"}${metric.unit ? ` (${metric.unit})` : ""}`),
      field,
    );
  };
  const draw = (): void => {
    if (!box.contains(document.activeElement)) {
      const keys = [...new Set([state.x, state.y, state.colour])];
      box.replaceChildren(...keys.flatMap((key) => [input(state.metric(key), 0), input(state.metric(key), 1)]));
    }
  };
  draw();
  state.listen(draw);
  return h("details", { class: "no-print" }, h("summary", {}, "Ranges by number"), box);
}

function comparison(state: Explorer): HTMLElement {
  const box = h("div", { class: "pins", "aria-live": "polite" });
  const draw = (): void => {
    const { points, pins } = state;
    const [a, b] = pins;
    if (a === undefined) {
      box.replaceChildren(h("p", { class: "hint" }, "No chip is pinned: press a point, or Pin in the table."));
      return;
    }
    const head = (i: number, letter: string): HTMLElement =>
      h(
        "th",
        { scope: "col", class: "number" },
        `${letter}: ${points.ids[i]} `,
        button("✕", () => state.pin(i), { class: "chip-button no-print", "aria-label": `Unpin ${points.ids[i]}` }),
      );
    const show = (metric: Metric, i: number): string => {
      const atMost = metric.key === "value" && points.states[i] !== "evaluated" ? "at most " : "";
      return atMost + quantity(metric.values[i], metric.unit);
    };
    const rows = points.metrics.map((metric) => {
      const [one, two] = [metric.values[a] as number, b === undefined ? NaN : (metric.values[b] as number)];
      const change = one !== 0 && Number.isFinite(one) && Number.isFinite(two) ? percent(two / one - 1, true) : "–";
      return h(
        "tr",
        {},
        h("th", { scope: "row" }, metric.label),
        h("td", { class: "number" }, show(metric, a)),
        b !== undefined && h("td", { class: "number" }, show(metric, b)),
        b !== undefined && h("td", { class: "number" }, change),
      );
    });
    const stateRow = h(
      "tr",
      {},
      h("th", { scope: "row" }, "state"),
      h("td", { class: "number" }, STATES[points.states[a] as State]),
      b !== undefined && h("td", { class: "number" }, STATES[points.states[b] as State]),
      b !== undefined && h("td", {}),
    );
    box.replaceChildren(
      h(
        "div",
        { class: "table-box", tabindex: 0, role: "region", "aria-label": "Pinned chips side by side" },
        h(
          "table",
          {},
          h("caption", {}, b === undefined ? "Pinned chip; pin another one to compare" : "Pinned chips side by side"),
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              h("th", { scope: "col" }, "figure"),
              head(a, "A"),
              b !== undefined && head(b, "B"),
              b !== undefined && h("th", { scope: "col", class: "number" }, "B over A"),
            ),
          ),
          h("tbody", {}, stateRow, ...rows),
        ),
      ),
    );
  };
  draw();
  state.listen(draw);
  return box;
}

function chipTable(state: Explorer): HTMLElement {
  const box = h("div", {});
  const { points } = state;
  const draw = (): void => {
    const selected = state.selected();
    const front = new Set(state.front());
    const columns: Column<number>[] = [
      { name: "chip", key: (i) => points.ids[i] as string, show: (i) => h("span", { class: "id" }, points.ids[i]) },
      {
        name: "state",
        key: (i) => (front.has(i) ? "evaluated, on the front" : points.states[i]) as string,
      },
      ...points.metrics.map((metric) => ({
        name: metric.label,
        isNumber: true,
        key: (i: number) => metric.values[i] as number,
        show: (i: number) =>
          (metric.key === "value" && points.states[i] !== "evaluated" ? "≤ " : "") +
          quantity(metric.values[i], metric.unit),
      })),
      {
        name: "pin",
        key: (i) => (state.pins.includes(i) ? 0 : 1),
        show: (i) =>
          button(state.pins.includes(i) ? "Unpin" : "Pin", () => state.pin(i), {
            class: "chip-button",
            "aria-label": `${state.pins.includes(i) ? "Unpin" : "Pin"} ${points.ids[i]}`,
          }),
      },
    ];
    // Chips that were evaluated come first: a bound is no value.
    const value = (points.metrics[0] as Metric).values;
    const last = (i: number): number => Number(points.states[i] !== "evaluated");
    const order = [...selected].sort((a, b) => last(a) - last(b) || compareKeys(value[a], value[b], true));
    box.replaceChildren(
      sortableTable(order, columns, {
        caption: `${digits(selected.length)} chips shown`,
        limit: 15,
        rowClass: (i) => (i === points.best ? "best" : ""),
      }),
    );
  };
  const details = h("details", { open: true }, h("summary", {}, "The same as a table"), box);
  draw();
  state.listen(draw);
  return details;
}

export function explorer(study: Study, search: Search | null): HTMLElement {
  const points = makePoints(study, search);
  const state = new Explorer(points);
  const ranged = study.excluded_ranges.reduce((sum, range) => sum + range.last_chip - range.first_chip + 1, 0);
  return h(
    "div",
    {},
    controls(state),
    scatter(state, 460),
    legend(state),
    ranges(state),
    h(
      "p",
      { class: "hint" },
      "Dots: what a chip reaches. Dashes: chips that were excluded stand at their bound; what they reach lies there or below. Dashed line: the evaluated chips that none of the shown ones beats in both figures.",
    ),
    ranged > 0 &&
      h(
        "p",
        { class: "hint" },
        `${digits(ranged)} chips that a bound excluded are stored as ranges, without figures of their own, and not shown.`,
      ),
    rangeInputs(state),
    comparison(state),
    chipTable(state),
  );
}
