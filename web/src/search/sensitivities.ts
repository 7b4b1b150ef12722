// What one step of each axis does, and which chips came nearest.

import type { Result, Search } from "../data";
import { h } from "../dom";
import { objectiveUnit, percent, quantity } from "../format";
import { sortableTable } from "../table";

// A change as a bar beside its number.
function bar(share: number): HTMLElement {
  const width = Math.min(1, Math.abs(share)) * 80;
  return h(
    "span",
    { class: "change" },
    h("i", { class: share < 0 ? "loss" : "gain", style: `width:${Math.max(share === 0 ? 0 : 1, width)}px` }),
    share === 0 ? "the same" : percent(share, true),
  );
}

export function sensitivities(search: Search, best: Result): HTMLElement {
  const unit = objectiveUnit(search.objective, search.models.length, search.combination);
  const steps = sortableTable(
    best.steps,
    [
      { name: "one step of", key: (step) => step.field.replace(/[_.]/g, " ") },
      { name: "from", key: (step) => step.from },
      { name: "to", key: (step) => step.to },
      {
        name: search.objective,
        isNumber: true,
        key: (step) => step.value ?? NaN,
        show: (step) => (step.value === undefined ? (step.outside ?? "–") : quantity(step.value, unit)),
      },
      {
        name: "change",
        isNumber: true,
        key: (step) => (step.value === undefined ? NaN : step.value / best.value - 1),
        show: (step) => (step.value === undefined ? "" : bar(step.value / best.value - 1)),
      },
    ],
    { caption: "One step away" },
  );
  const rivals = sortableTable(
    best.rivals,
    [
      { name: "chip", key: (rival) => rival.chip, show: (rival) => h("span", { class: "id" }, rival.chip) },
      {
        name: search.objective,
        isNumber: true,
        key: (rival) => rival.value,
        show: (rival) => quantity(rival.value, unit),
      },
      {
        name: "change",
        isNumber: true,
        key: (rival) => rival.value / best.value - 1,
        show: (rival) => bar(rival.value / best.value - 1),
      },
      { name: "why", isLong: true, key: (rival) => rival.reason },
    ],
    { caption: "Nearest rivals" },
  );
  return h("div", {}, steps, rivals);
}
