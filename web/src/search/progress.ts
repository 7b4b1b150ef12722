// How a search went: what became of the chips, and best value and bound over time.

import { axisLook, chart, legendLook, tooltipLook } from "../chart";
import type { Result, Search } from "../data";
import { h } from "../dom";
import { digits, objectiveUnit, percent, seconds } from "../format";
import { colour } from "../theme";

export function howItWent(search: Search, best: Result): HTMLElement {
  const counts = best.chips;
  const shares: [string, number, string][] = [
    ["evaluated", counts.evaluated, "blue"],
    ["excluded by a bound", counts.excluded_by_bound, "orange"],
    ["excluded: another chip has no less of anything", counts.excluded_by_dominance, "grey"],
  ];
  const left = counts.total - counts.evaluated - counts.excluded;
  if (left > 0) {
    shares.push(["open", left, "red"]);
  }
  const parts = h(
    "div",
    { class: "stack", role: "img", "aria-label": shares.map(([name, count]) => `${name} ${count}`).join(", ") },
    ...shares.map(([, count, look]) =>
      h("span", { class: `part-${look}`, style: `flex:${Math.max(count, counts.total / 200)}` }),
    ),
  );
  const list = h(
    "ul",
    { class: "keys" },
    ...shares.map(([name, count, look]) =>
      h(
        "li",
        {},
        h("i", { class: `key part-${look}` }),
        `${name}: ${digits(count)} (${percent(count / counts.total)})`,
      ),
    ),
  );
  const stages = [...new Set((search.progress ?? []).map((moment) => moment.stage))];
  const stage = stages[stages.length - 1];
  const moments = (search.progress ?? []).filter((moment) => moment.stage === stage && Number.isFinite(moment.bound));
  const unit = objectiveUnit(search.objective, search.models.length, search.combination);
  return h(
    "div",
    {},
    h(
      "p",
      {},
      `${digits(counts.total)} chips settled in ${seconds(search.search_s)}; ${percent(counts.excluded / counts.total)} without being evaluated.`,
    ),
    parts,
    list,
    moments.length > 1 &&
      chart(`Best value and bound over time, ${moments.length} moments`, 280, () => ({
        grid: { left: 64, right: 56, top: 62, bottom: 48 },
        legend: { ...legendLook(), type: "scroll", top: 0 },
        tooltip: { ...tooltipLook(), trigger: "axis", valueFormatter: (value: unknown) => digits(Number(value)) },
        xAxis: { ...axisLook(), type: "value", name: "elapsed time (s)", nameLocation: "middle", nameGap: 30 },
        yAxis: [
          { ...axisLook(), type: "value", name: unit || "value", scale: true },
          { ...axisLook(), type: "value", name: "settled (%)", min: 0, max: 100, splitLine: { show: false } },
        ],
        series: [
          {
            name: "best so far",
            type: "line",
            step: "end",
            symbol: "none",
            data: moments.map((m) => [m.elapsed_s, m.best]),
            lineStyle: { width: 2.5 },
            itemStyle: { color: colour("--blue") },
          },
          {
            name: "bound of what was open",
            type: "line",
            step: "end",
            symbol: "none",
            data: moments.map((m) => [m.elapsed_s, m.bound]),
            lineStyle: { width: 2.5, type: "dashed" },
            itemStyle: { color: colour("--orange") },
          },
          {
            name: "settled",
            type: "line",
            step: "end",
            symbol: "none",
            yAxisIndex: 1,
            data: moments.map((m) => [m.elapsed_s, (100 * m.settled) / counts.total]),
            lineStyle: { width: 1 },
            areaStyle: { opacity: 0.1 },
            itemStyle: { color: colour("--grey") },
          },
        ],
      })).box,
    moments.length > 1 &&
      stages.length > 1 &&
      h(
        "p",
        { class: "hint" },
        `Over time: the search for ${stage}, after those for ${stages.slice(0, -1).join(", ")}.`,
      ),
  );
}
