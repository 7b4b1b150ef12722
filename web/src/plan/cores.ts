// The schedule of one layer's pass on the cores of the chip.

import type { Details, LayerPass, Operator } from "../data";
import { h, select } from "../dom";
import { digits, percent, seconds } from "../format";
import { timeline, type Span, type TimelineRow } from "./timeline";

function spanOf(op: Operator, look: string): Span {
  return {
    start: op.start_s,
    end: op.end_s,
    look,
    text: op.id,
    about: `${op.id} (${op.kind})${op.wide ? ", on all cores of its kind" : ""}, bound by ${op.bound.replace(/_/g, " ")}`,
  };
}

/** Rows of cores that do the same are one: t0–t7. */
export function coreRows(pass: LayerPass): TimelineRow[] {
  const rows: TimelineRow[] = [];
  const kinds: ["tensor" | "vector", string][] = [
    ["tensor", "t"],
    ["vector", "v"],
  ];
  for (const [kind, letter] of kinds) {
    const count = pass.cores[kind];
    const on = (op: Operator): boolean => op.unit === kind || op.unit === "both";
    const wide = pass.operators.filter((op) => op.wide && on(op));
    const single = new Map<number, Operator[]>();
    for (const op of pass.operators) {
      const core = kind === "tensor" ? op.tensor_core : op.vector_core;
      if (!op.wide && core !== undefined) {
        single.set(core, [...(single.get(core) ?? []), op]);
      }
    }
    const used = [...single.keys()].sort((a, b) => a - b);
    const add = (first: number, last: number, own: Operator[]): void => {
      const name = first === last ? `${letter}${first}` : `${letter}${first}–${letter}${last}`;
      const spans = [
        ...wide.map((op) => spanOf(op, kind === "tensor" ? "blue" : "orange")),
        ...own.map((op) => spanOf(op, kind === "tensor" ? "sky" : "yellow")),
      ];
      rows.push({ name, spans: spans.sort((a, b) => a.start - b.start) });
    };
    let next = 0;
    for (const core of used) {
      if (core > next) {
        add(next, core - 1, []);
      }
      add(core, core, single.get(core) ?? []);
      next = core + 1;
    }
    if (next < count) {
      add(next, count - 1, []);
    }
  }
  const network = pass.operators.filter((op) => op.unit === "network").map((op) => spanOf(op, "green"));
  if (network.length > 0) {
    rows.push({ name: "network", spans: network.sort((a, b) => a.start - b.start) });
  }
  return rows;
}

export function schedules(details: Details, isOriginal: boolean): HTMLElement {
  const { layers } = details;
  if (layers.length === 0) {
    return h("p", {}, "This plan does not say how its layers run.");
  }
  const name = (pass: LayerPass): string =>
    `${pass.name} ${pass.pass}${pass.repeat > 1 ? ` (${digits(pass.repeat)} times)` : ""}, ${seconds(pass.time_s)}`;
  const longest = layers.reduce(
    (best, pass, i) =>
      pass.time_s * pass.repeat > (layers[best] as LayerPass).time_s * (layers[best] as LayerPass).repeat ? i : best,
    0,
  );
  // The forward pass of the layer that takes most time is the one to look at first.
  const first = Math.max(
    0,
    layers.findIndex((pass) => pass.name === layers[longest]?.name && pass.pass === "forward"),
  );
  const box = h("div", {});
  const draw = (index: number): void => {
    const pass = layers[index] as LayerPass;
    const looks: [string, string][] = [
      ["on all tensor cores", "blue"],
      ["on one tensor core", "sky"],
      ["on all vector cores", "orange"],
      ["on one vector core", "yellow"],
      ["network", "green"],
    ];
    const rows = coreRows(pass);
    const end = Math.max(pass.time_s, pass.makespan_s);
    const has = (look: string): boolean => rows.some((row) => row.spans.some((span) => span.look === look));
    const least = Math.max(pass.lower_bound_s, pass.floor_s);
    const proof = pass.serial
      ? "The chip runs one operator at a time: the time is their sum."
      : pass.proved
        ? "No schedule takes less: proved."
        : `A better schedule can save at most ${percent(1 - least / pass.time_s)}.`;
    const floor =
      pass.floor_s >= pass.makespan_s && pass.floor_s > 0
        ? ` It takes no less than its bytes need (${pass.floor.replace(/_/g, " ")}): ${seconds(pass.floor_s)}.`
        : "";
    const host =
      pass.counted_s > pass.time_s * 1.0001
        ? ` The host takes ${seconds(pass.counted_s)} to launch the operators: that is what the plan counts.`
        : "";
    box.replaceChildren(
      h("p", {}, `${name(pass)}. ${proof}${floor}${host}`),
      timeline(
        `Schedule of ${name(pass)} on ${pass.cores.tensor} tensor and ${pass.cores.vector} vector cores`,
        rows,
        end,
        looks.filter(([, look]) => has(look)),
      ),
    );
  };
  draw(first);
  return h(
    "div",
    {},
    h(
      "div",
      { class: "controls no-print" },
      select(
        "Layer and pass",
        layers.map((pass, i) => ({ value: String(i), text: name(pass) })),
        String(first),
        (value) => draw(Number(value)),
      ),
    ),
    box,
    h(
      "p",
      { class: "hint" },
      isOriginal
        ? "The original recomputes by one more forward pass: layers are shown without it."
        : details.recompute === "none"
          ? "Layers that recompute nothing, as most of the plan's do."
          : `Layers with recomputation "${details.recompute}", as most of the plan's do.`,
    ),
  );
}
