// Operators by how much they compute for each byte of HBM, under the roof of the chip.

import { axisLook, chart, legendLook, tooltipLook } from "../chart";
import type { Details, Operator } from "../data";
import { h } from "../dom";
import { bytes, digits, percent, seconds, withPrefix } from "../format";
import { sortableTable } from "../table";
import { colour } from "../theme";

export interface Rated extends Operator {
  layer: string;
  pass: string;
  repeat: number;
  work: number; // FLOPs, of matrices or vectors
  intensity: number; // FLOPs a byte; infinite where nothing comes from HBM
  rate: number; // FLOP/s
}

export function rateOperators(details: Details): Rated[] {
  return details.layers.flatMap((pass) =>
    pass.operators.map((op) => {
      const work = op.flops > 0 ? op.flops : op.vector_flops;
      return {
        ...op,
        layer: pass.name,
        pass: pass.pass,
        repeat: pass.repeat,
        work,
        intensity: op.hbm_bytes > 0 ? work / op.hbm_bytes : Infinity,
        rate: op.alone_s > 0 ? work / op.alone_s : 0,
      };
    }),
  );
}

const LOOKS: [string, string][] = [
  ["blue", "circle"],
  ["orange", "rect"],
  ["green", "triangle"],
  ["pink", "diamond"],
  ["sky", "pin"],
  ["yellow", "roundRect"],
  ["grey", "arrow"],
];

export function roofline(details: Details): HTMLElement {
  const rated = rateOperators(details);
  const shown = rated.filter((op) => op.work > 0 && Number.isFinite(op.intensity) && op.rate > 0);
  const bounds = [...new Set(shown.map((op) => op.bound))].sort();
  const low = Math.min(0.1, ...shown.map((op) => op.intensity)) / 2;
  const ridge = details.peak_flops / details.hbm_bytes_per_s;
  const high = Math.max(10 * ridge, ...shown.map((op) => op.intensity)) * 2;
  const roof = (peak: number): number[][] => [
    [low, low * details.hbm_bytes_per_s],
    [peak / details.hbm_bytes_per_s, peak],
    [high, peak],
  ];
  const longest = Math.max(...shown.map((op) => op.alone_s * op.repeat));
  const least = Math.min(...shown.map((op) => op.rate), details.peak_vector_flops) / 3;
  const line = (name: string, peak: number, dash: string): Record<string, unknown> => ({
    name,
    type: "line",
    symbol: "none",
    silent: true,
    data: roof(peak),
    lineStyle: { color: colour("--text"), width: 1.5, type: dash },
    itemStyle: { color: colour("--text") },
    z: 1,
  });
  const drawn = chart(`Roofline of ${shown.length} operators; the table below has the same figures`, 420, () => ({
    grid: { left: 78, right: 18, top: 64, bottom: 50 },
    legend: { ...legendLook(), type: "scroll", top: 0 },
    tooltip: {
      ...tooltipLook(),
      formatter: ({ data }: { data: [number, number, number] }) => {
        const op = shown[data[2]] as Rated;
        return h(
          "div",
          {},
          h("strong", {}, `${op.layer}, ${op.pass}: ${op.id}`),
          h("div", {}, `${op.kind.replace(/_/g, " ")}, bound by ${op.bound.replace(/_/g, " ")}`),
          h("div", {}, `${withPrefix(op.rate, "FLOP/s")}, ${digits(op.intensity)} FLOP/B`),
          h("div", {}, `${seconds(op.alone_s)} on the whole chip`),
        );
      },
    },
    xAxis: {
      ...axisLook(),
      type: "log",
      min: low,
      max: high,
      name: "FLOPs for each byte from or to HBM",
      nameLocation: "middle",
      nameGap: 30,
      axisLabel: {
        ...(axisLook()["axisLabel"] as object),
        showMinLabel: false,
        showMaxLabel: false,
        formatter: (v: number) => digits(v),
      },
    },
    yAxis: {
      ...axisLook(),
      type: "log",
      min: least,
      max: details.peak_flops * 3,
      name: "FLOP/s",
      axisLabel: {
        ...(axisLook()["axisLabel"] as object),
        showMinLabel: false,
        showMaxLabel: false,
        formatter: (v: number) => withPrefix(v, ""),
      },
    },
    series: [
      line("peak of matrix units", details.peak_flops, "solid"),
      line("peak of vector units", details.peak_vector_flops, "dashed"),
      ...bounds.map((bound, i) => {
        const [look, symbol] = LOOKS[i % LOOKS.length] as [string, string];
        return {
          name: `bound by ${bound.replace(/_/g, " ")}`,
          type: "scatter",
          symbol,
          itemStyle: { color: colour(`--${look}`), opacity: 0.75, borderColor: colour("--card"), borderWidth: 1 },
          symbolSize: (data: number[]) =>
            8 +
            14 *
              Math.sqrt(
                ((shown[data[2] as number] as Rated).alone_s * (shown[data[2] as number] as Rated).repeat) / longest,
              ),
          data: shown
            .map((op, at) => [op.intensity, op.rate, at])
            .filter((_, at) => (shown[at] as Rated).bound === bound),
        };
      }),
    ],
  }));
  const table = sortableTable(
    rated,
    [
      { name: "layer", key: (op) => op.layer },
      { name: "pass", key: (op) => op.pass },
      { name: "operator", key: (op) => op.id },
      { name: "bound by", key: (op) => op.bound.replace(/_/g, " ") },
      { name: "time alone", isNumber: true, key: (op) => op.alone_s, show: (op) => seconds(op.alone_s) },
      {
        name: "all repeats",
        isNumber: true,
        key: (op) => op.alone_s * op.repeat,
        show: (op) => seconds(op.alone_s * op.repeat),
      },
      {
        name: "rate",
        isNumber: true,
        key: (op) => op.rate,
        show: (op) => (op.work > 0 ? withPrefix(op.rate, "FLOP/s") : "–"),
      },
      {
        name: "FLOP/B",
        isNumber: true,
        key: (op) => op.intensity,
        show: (op) => (Number.isFinite(op.intensity) && op.work > 0 ? digits(op.intensity) : "–"),
      },
      { name: "used", isNumber: true, key: (op) => op.utilisation, show: (op) => percent(op.utilisation) },
      { name: "HBM", isNumber: true, key: (op) => op.hbm_bytes, show: (op) => bytes(op.hbm_bytes) },
    ],
    { caption: "Operators, each by itself on the whole chip", sorted: { column: 5, descending: true }, limit: 12 },
  );
  return h(
    "div",
    {},
    drawn.box,
    h(
      "p",
      { class: "hint" },
      "Larger marks take more of the time, repeats counted. Lines: what HBM and the units allow at most.",
    ),
    table,
  );
}
