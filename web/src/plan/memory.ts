// Memory of each stage by kind against what a device has, and the stages as a table.

import { axisLook, chart, legendLook, tooltipLook } from "../chart";
import type { Memory, Plan, Stage } from "../data";
import { h } from "../dom";
import { bytes, digits, seconds } from "../format";
import { sortableTable } from "../table";
import { colour } from "../theme";

const KINDS: [keyof Memory, string, string][] = [
  ["weights_bytes", "weights", "blue"],
  ["gradients_bytes", "gradients", "orange"],
  ["optimizer_bytes", "optimiser", "green"],
  ["activations_bytes", "activations", "pink"],
  ["transient_bytes", "transient", "yellow"],
  ["other_bytes", "workspace and reserved", "grey"],
];
const GIB = 2 ** 30;

export function totalOf(stage: Stage): number {
  return KINDS.reduce((sum, [key]) => sum + (stage.memory?.[key] ?? 0), 0);
}

function layersText(stage: Stage): string {
  return (stage.layers ?? []).map((run) => (run.count > 1 ? `${run.count} ${run.name}` : run.name)).join(" + ");
}

export function memory(plan: Plan): HTMLElement {
  const kinds = KINDS.filter(([key]) => plan.stages.some((stage) => (stage.memory?.[key] ?? 0) > 0));
  const most = Math.max(plan.capacity_bytes, ...plan.stages.map(totalOf));
  const drawn = chart(
    `Memory of ${plan.stages.length} stages by kind; the limit is ${bytes(plan.capacity_bytes)}`,
    340,
    () => ({
      grid: { left: 64, right: 16, top: 58, bottom: 46 },
      legend: { ...legendLook(), type: "scroll", top: 0 },
      tooltip: {
        ...tooltipLook(),
        trigger: "axis",
        axisPointer: { type: "shadow" },
        valueFormatter: (value: unknown) => bytes(Number(value) * GIB),
      },
      xAxis: {
        ...axisLook(),
        type: "category",
        data: plan.stages.map((_, i) => String(i)),
        name: "stage",
        nameLocation: "middle",
        nameGap: 28,
      },
      yAxis: {
        ...axisLook(),
        axisLabel: { ...(axisLook()["axisLabel"] as object), showMaxLabel: false },
        type: "value",
        name: "GiB",
        max: Math.ceil((most / GIB) * 1.06),
      },
      series: kinds.map(([key, name, look], i) => ({
        name,
        type: "bar",
        stack: "memory",
        barMaxWidth: 60,
        itemStyle: { color: colour(`--${look}`) },
        data: plan.stages.map((stage) => (stage.memory?.[key] ?? 0) / GIB),
        ...(i === 0
          ? {
              markLine: {
                silent: true,
                symbol: "none",
                lineStyle: { color: colour("--red"), width: 2, type: "dashed" },
                label: {
                  formatter: `limit ${bytes(plan.capacity_bytes)}`,
                  position: "insideEndTop",
                  color: colour("--text"),
                  fontSize: 13,
                },
                data: [{ yAxis: plan.capacity_bytes / GIB }],
              },
            }
          : {}),
      })),
    }),
  );
  const rows = plan.stages.map((stage, i) => ({ ...stage, at: i }));
  const table = sortableTable(
    rows,
    [
      { name: "stage", isNumber: true, key: (row) => row.at },
      { name: "layers", key: layersText },
      { name: "recompute", key: (row) => row.recompute ?? "none" },
      { name: "forward", isNumber: true, key: (row) => row.forward_s, show: (row) => seconds(row.forward_s) },
      { name: "backward", isNumber: true, key: (row) => row.backward_s, show: (row) => seconds(row.backward_s) },
      {
        name: "in flight",
        isNumber: true,
        key: (row) => row.in_flight ?? 1,
        show: (row) => digits(row.in_flight ?? 1),
      },
      { name: "memory", isNumber: true, key: totalOf, show: (row) => bytes(totalOf(row)) },
      {
        name: "room",
        isNumber: true,
        key: (row) => plan.capacity_bytes - totalOf(row),
        show: (row) => bytes(plan.capacity_bytes - totalOf(row)),
      },
    ],
    { caption: "Stages", limit: 12 },
  );
  return h("div", {}, drawn.box, table);
}
