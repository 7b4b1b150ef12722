// All chips as points. Chips that were evaluated are dots; the others are dashes at their bound:
// what they reach lies there or below.

import type { EChartsType } from "echarts/core";
import { axisLook, chart, type Options } from "../chart";
import { h } from "../dom";
import { quantity } from "../format";
import { colour, ramp } from "../theme";
import type { Explorer } from "./explorer_state";
import { Nearest } from "./nearest";
import type { Metric } from "./points";

const BUCKETS = 12; // of colour: a series each, so that all of its points are drawn at once
const GRID = { left: 74, right: 20, top: 30, bottom: 52 };

interface Scale {
  low: number;
  high: number;
  isLog: boolean;
}

/** The range of the values that are shown; logarithmic where they span more than a factor of 30. */
export function scaleOf(values: Float64Array, among: number[]): Scale {
  let low = Infinity;
  let high = -Infinity;
  for (const i of among) {
    const value = values[i] as number;
    if (!Number.isNaN(value)) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  if (low > high) {
    return { low: 0, high: 1, isLog: false };
  }
  if (low > 0 && high / low > 30) {
    return { low: low / 1.15, high: high * 1.15, isLog: true };
  }
  const edge = (high - low || Math.abs(high) || 1) * 0.05;
  return { low: low >= 0 ? Math.max(0, low - edge) : low - edge, high: high + edge, isLog: false };
}

function axisOptions(metric: Metric, scale: Scale, name: string, isX: boolean): Options {
  const look = axisLook();
  return {
    ...look,
    type: scale.isLog ? "log" : "value",
    min: scale.low,
    max: scale.high,
    name,
    nameLocation: isX ? "middle" : "end",
    nameGap: isX ? 32 : 12,
    nameTextStyle: {
      ...(look["nameTextStyle"] as Options),
      align: isX ? "center" : "left",
      padding: isX ? 0 : [0, 0, 0, -60],
    },
    axisLabel: {
      ...(look["axisLabel"] as Options),
      showMinLabel: false,
      showMaxLabel: false,
      formatter: (value: number) => quantity(Number(value.toPrecision(3)), metric.unit === "B" ? "B" : ""),
    },
  };
}

const titled = (metric: Metric): string =>
  `${metric.label}${metric.unit && metric.unit !== "B" ? ` (${metric.unit})` : ""}`;

export function scatter(state: Explorer, height: number): HTMLElement {
  const { points } = state;
  let nearest: Nearest | null = null;
  let pixelX = new Float32Array(0);
  let pixelY = new Float32Array(0);
  let scales: { x: Scale; y: Scale } | null = null;
  const tip = h("div", { class: "tip", role: "status", "aria-live": "polite", hidden: true });
  const brush = h("div", { class: "brush", hidden: true });

  function options(): Options {
    const [x, y, third] = [state.metric(state.x), state.metric(state.y), state.metric(state.colour)];
    const selected = state.selected();
    scales = { x: scaleOf(x.values, selected), y: scaleOf(y.values, selected) };
    const range = scaleOf(third.values, selected);
    const share = (value: number): number =>
      range.isLog
        ? Math.log(value / range.low) / Math.log(range.high / range.low)
        : (value - range.low) / (range.high - range.low);
    const dots: number[][][] = Array.from({ length: BUCKETS + 1 }, () => []);
    const dashes: number[][][] = Array.from({ length: BUCKETS + 1 }, () => []);
    for (const i of selected) {
      const value = third.values[i] as number;
      const bucket = Number.isNaN(value)
        ? BUCKETS
        : Math.max(0, Math.min(BUCKETS - 1, Math.floor(share(value) * BUCKETS)));
      (points.states[i] === "evaluated" ? dots : dashes)[bucket]?.push([x.values[i] as number, y.values[i] as number]);
    }
    const colourOf = (bucket: number): string =>
      bucket === BUCKETS ? colour("--grey") : ramp((bucket + 0.5) / BUCKETS);
    const common = { type: "scatter", large: true, largeThreshold: 1, progressive: 0, silent: true };
    const front = state.front().map((i) => [x.values[i], y.values[i]]);
    return {
      grid: GRID,
      xAxis: axisOptions(x, scales.x, titled(x), true),
      yAxis: axisOptions(y, scales.y, titled(y), false),
      series: [
        ...dashes
          .map((data, i) => ({
            ...common,
            data,
            symbol: "rect",
            symbolSize: [7, 1.5],
            z: 2,
            itemStyle: { color: colourOf(i), opacity: 0.4 },
          }))
          .filter(({ data }) => data.length > 0),
        {
          type: "line",
          data: front,
          step: "end",
          symbol: "none",
          silent: true,
          z: 3,
          lineStyle: { color: colour("--text"), width: 1.5, type: "dashed" },
        },
        ...dots
          .map((data, i) => ({
            ...common,
            data,
            symbol: "circle",
            symbolSize: 9,
            z: 4,
            itemStyle: { color: colourOf(i), opacity: 0.95 },
          }))
          .filter(({ data }) => data.length > 0),
        {
          type: "scatter",
          silent: true,
          z: 5,
          symbol: "circle",
          symbolSize: 17,
          itemStyle: { color: "transparent", borderColor: colour("--text"), borderWidth: 2 },
          label: {
            show: true,
            position: "top",
            color: colour("--text"),
            fontWeight: "bold",
            fontSize: 14,
            formatter: ({ dataIndex }: { dataIndex: number }) => "AB"[dataIndex],
          },
          data: state.pins.map((i) => [x.values[i], y.values[i]]),
        },
      ],
    };
  }

  // Pixels of all points, from the axes' ends.
  function locate(instance: EChartsType): void {
    if (!scales) {
      return;
    }
    const [width, total] = [
      instance.getWidth() - GRID.left - GRID.right,
      instance.getHeight() - GRID.top - GRID.bottom,
    ];
    const place = (value: number, scale: Scale): number =>
      scale.isLog
        ? Math.log(value / scale.low) / Math.log(scale.high / scale.low)
        : (value - scale.low) / (scale.high - scale.low);
    const [x, y] = [state.metric(state.x), state.metric(state.y)];
    pixelX = new Float32Array(points.count).fill(NaN);
    pixelY = new Float32Array(points.count).fill(NaN);
    for (const i of state.selected()) {
      pixelX[i] = GRID.left + width * place(x.values[i] as number, scales.x);
      pixelY[i] = GRID.top + total * (1 - place(y.values[i] as number, scales.y));
    }
    if (nearest === null) {
      performance.mark("chips drawn");
    }
    nearest = new Nearest(pixelX, pixelY, instance.getWidth());
  }

  const drawn = chart("Chips as points; the table below has the same figures", height, options, locate);
  state.listen(drawn.redraw);
  const box = h("div", { class: "scatter" }, drawn.box, brush, tip);

  const width = (): number => drawn.instance()?.getWidth() ?? 0;

  function unplace(pixel: number, isX: boolean): number {
    const scale = (scales as { x: Scale; y: Scale })[isX ? "x" : "y"];
    const share = isX
      ? (pixel - GRID.left) / (width() - GRID.left - GRID.right)
      : 1 - (pixel - GRID.top) / (height - GRID.top - GRID.bottom);
    return scale.isLog ? scale.low * (scale.high / scale.low) ** share : scale.low + share * (scale.high - scale.low);
  }

  const rank = (i: number): number =>
    i === points.best ? 3 : points.states[i] === "evaluated" ? 2 : points.states[i] === "excluded" ? 1 : 0;

  function show(i: number | null): void {
    tip.hidden = i === null;
    if (i === null) {
      return;
    }
    const state_ = points.states[i];
    tip.replaceChildren(
      h("strong", {}, points.ids[i] ?? ""),
      h(
        "div",
        {},
        state_ === "evaluated"
          ? "evaluated"
          : state_ === "excluded"
            ? "excluded by its bound"
            : "excluded: another chip has no less of anything",
      ),
      ...[state.x, state.y, state.colour]
        .filter((key, at, all) => all.indexOf(key) === at)
        .map((key) => {
          const metric = state.metric(key);
          const isBound = key === "value" && state_ !== "evaluated";
          return h(
            "div",
            {},
            `${metric.label}${isBound ? ", at most" : ""}: ${quantity(metric.values[i], metric.unit)}`,
          );
        }),
    );
    const left = Math.min(Math.max(4, (pixelX[i] as number) + 14), box.clientWidth - tip.offsetWidth - 4);
    tip.style.left = `${left}px`;
    tip.style.top = `${Math.max(4, (pixelY[i] as number) - tip.offsetHeight - 10)}px`;
  }

  let from: { x: number; y: number } | null = null;
  let isBrushing = false;
  const at = (event: PointerEvent): { x: number; y: number } => {
    const place = drawn.box.getBoundingClientRect();
    return { x: event.clientX - place.left, y: event.clientY - place.top };
  };
  const clamp = (place: { x: number; y: number }): { x: number; y: number } => ({
    x: Math.min(Math.max(place.x, GRID.left), width() - GRID.right),
    y: Math.min(Math.max(place.y, GRID.top), height - GRID.bottom),
  });
  box.addEventListener("pointerdown", (event) => {
    if (event.button === 0 && event.pointerType !== "touch") {
      from = at(event);
      isBrushing = false;
    }
  });
  box.addEventListener("pointermove", (event) => {
    const to = at(event);
    if (from && (isBrushing || Math.hypot(to.x - from.x, to.y - from.y) > 5)) {
      if (!isBrushing) {
        box.setPointerCapture(event.pointerId);
      }
      isBrushing = true;
      const [a, b] = [clamp(from), clamp(to)];
      brush.hidden = false;
      brush.style.left = `${Math.min(a.x, b.x)}px`;
      brush.style.top = `${Math.min(a.y, b.y)}px`;
      brush.style.width = `${Math.abs(a.x - b.x)}px`;
      brush.style.height = `${Math.abs(a.y - b.y)}px`;
      show(null);
      return;
    }
    show(nearest?.find(to.x, to.y, rank) ?? null);
  });
  box.addEventListener("pointerleave", () => show(null));
  box.addEventListener("pointerup", (event) => {
    const to = at(event);
    if (from && isBrushing) {
      const [a, b] = [clamp(from), clamp(to)];
      const range = (p: number, q: number, isX: boolean): [number, number] => {
        const [one, two] = [unplace(p, isX), unplace(q, isX)];
        return one < two ? [one, two] : [two, one];
      };
      state.change(() => {
        state.ranges.set(state.x, range(a.x, b.x, true));
        state.ranges.set(state.y, range(a.y, b.y, false));
      });
    } else {
      const found = nearest?.find(to.x, to.y, rank) ?? null;
      if (found !== null && (from || event.pointerType === "touch")) {
        state.pin(found);
      }
    }
    from = null;
    isBrushing = false;
    brush.hidden = true;
  });
  box.addEventListener("pointercancel", () => {
    from = null;
    isBrushing = false;
    brush.hidden = true;
  });
  return box;
}
