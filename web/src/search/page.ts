// The report of a search.

import type { Plan, Report, Result, Search, Study } from "../data";
import { h } from "../dom";
import { bytes, digits, objectiveUnit, percent, quantity, withPrefix } from "../format";
import { cards, section, type Section } from "../layout";
import { rangeCard, strategyText } from "../plan/headline";
import { planSections } from "../plan/page";
import { sortableTable } from "../table";
import { chipDrawing } from "./chip_drawing";
import { explorer } from "./explorer";
import { howItWent } from "./progress";
import { sensitivities } from "./sensitivities";

function proofText(result: Result, isComplete: boolean): { value: string; note: string } {
  if (result.status === "optimal") {
    return { value: "Proved optimal", note: "no chip of the space is better" };
  }
  return {
    value: `Within ${percent(result.bound / result.value - 1)}`,
    note: isComplete
      ? "no chip of the space can be further above, however layers are scheduled"
      : "the search was stopped: no chip of the space can be further above",
  };
}

function headline(search: Search, best: Result, simulations: Report["simulations"]): HTMLElement {
  const unit = objectiveUnit(search.objective, search.models.length, search.combination);
  const proof = proofText(best, search.is_complete);
  const plans = Object.entries(best.plans);
  const [model, plan] = plans[0] as [string, Plan];
  const over = plans
    .map(([name]) => [name, best.over_reference[name]] as const)
    .filter((each): each is readonly [string, number] => typeof each[1] === "number");
  const overText =
    over.length === 0
      ? "–"
      : over.length === 1
        ? `${digits((over[0] as readonly [string, number])[1])} ×`
        : `${digits(Math.min(...over.map((each) => each[1])))} to ${digits(Math.max(...over.map((each) => each[1])))} ×`;
  const simulation = simulations[model];
  const description = best.description;
  const words = description
    ? `${description.description.tensor_cores.count} tensor cores of ${description.description.tensor_cores.rows} × ${description.description.tensor_cores.columns}, ${description.description.vector_cores.count} vector cores of ${description.description.vector_cores.lanes} lanes, ${bytes(description.description.global_buffer.size_bytes)} global buffer, ${bytes(best.hbm_bytes)} HBM at ${withPrefix(best.hbm_bytes_per_s, "B/s")}, ${withPrefix(description.clock_hz, "Hz")}`
    : "";
  return h(
    "div",
    {},
    h(
      "p",
      { class: "lead" },
      "Best chip: ",
      h("strong", { "data-best": best.chip }, best.chip),
      words && `. ${words}.`,
    ),
    cards([
      {
        name: search.objective,
        value: quantity(best.value, unit),
        key: "value",
        note:
          search.models.length > 1
            ? `of ${search.models.length} models together`
            : `${digits(plan.tokens_per_s ?? NaN)} tokens/s, MFU ${percent(plan.mfu ?? NaN)}`,
      },
      {
        name: `over ${search.reference.chip}`,
        value: overText,
        key: "over",
        note: over.length < plans.length ? "where the model fits on it" : "throughput, same cluster and assumptions",
      },
      { name: "proof", value: proof.value, key: "proof", note: proof.note },
      ...plans.flatMap(([each, made]) => rangeCard(made, plans.length > 1 ? `how sure, ${each}` : "how sure")),
      { name: "area", value: quantity(best.area_mm2, "mm²"), key: "area" },
      { name: "design power", value: quantity(best.tdp_w, "W"), key: "power" },
      { name: "build cost", value: quantity(best.build_cost_usd, "USD"), key: "cost" },
      ...(simulation
        ? [
            {
              name: "simulation",
              value: percent(simulation.difference, true),
              key: "simulation",
              note: `event by event against the plan's formula, ${model}`,
            },
          ]
        : []),
    ]),
    ...plans.map(([name, each]) => h("p", {}, h("strong", {}, name), `: ${strategyText(each)}`)),
    h(
      "p",
      { class: "hint" },
      `${digits(search.devices)} devices, cluster ${search.cluster}, global batch ${digits(search.global_batch)}, space ${search.space}, assumptions ${search.assumptions}. A predicted time is a model's: docs/validation.md has what it was held to.`,
    ),
    ...search.notes.map((note) => h("p", { class: "hint" }, note)),
  );
}

function ownBest(search: Search, best: Result): HTMLElement {
  const rows = Object.entries(search.own ?? {});
  return sortableTable(
    rows,
    [
      { name: "model", key: ([name]) => name },
      { name: "its own best chip", key: ([, own]) => own.chip },
      {
        name: "sequences/s on its own",
        isNumber: true,
        key: ([name, own]) => own.plans[name]?.throughput_sequences_per_s ?? NaN,
        show: ([name, own]) => digits(own.plans[name]?.throughput_sequences_per_s ?? NaN),
      },
      {
        name: "on the common chip",
        isNumber: true,
        key: ([name]) => best.plans[name]?.throughput_sequences_per_s ?? NaN,
        show: ([name]) => digits(best.plans[name]?.throughput_sequences_per_s ?? NaN),
      },
      {
        name: "lost by sharing",
        isNumber: true,
        key: ([name, own]) =>
          1 -
          (best.plans[name]?.throughput_sequences_per_s ?? NaN) / (own.plans[name]?.throughput_sequences_per_s ?? NaN),
        show: ([name, own]) =>
          percent(
            1 -
              (best.plans[name]?.throughput_sequences_per_s ?? NaN) /
                (own.plans[name]?.throughput_sequences_per_s ?? NaN),
          ),
      },
    ],
    { caption: "Each model's own best chip beside the common one" },
  );
}

function unfinished(study: Study): HTMLElement {
  const { counts } = study;
  const best = study.best === null ? null : study.chips.chip.indexOf(study.best);
  return h(
    "div",
    {},
    h(
      "p",
      { class: "lead" },
      `This search ${study.state === "running" ? "is running" : "was stopped"}: ${digits(counts.settled)} of ${digits(counts.total)} chips are settled.`,
    ),
    cards([
      { name: "best so far", value: best === null || best < 0 ? "none" : (study.chips.id[best] ?? "–"), key: "best" },
      {
        name: "its value",
        value: best === null || best < 0 ? "–" : digits(study.chips.value[best] ?? NaN),
        key: "value",
      },
      { name: "bound", value: study.bound === null ? "not known yet" : digits(study.bound), key: "bound" },
    ]),
  );
}

export function searchSections(report: Report): Section[] {
  const search = report.search ?? null;
  const best = search?.best ?? null;
  const sections: Section[] = [];
  if (search && best) {
    sections.push(section("Answer", () => headline(search, best, report.simulations)));
    if (best.description) {
      const { description } = best;
      sections.push(
        section("Chip", () => chipDrawing(description, search.reference.description ?? null, search.reference.chip)),
      );
    }
  } else if (report.study) {
    const { study } = report;
    sections.push(section("So far", () => unfinished(study)));
  }
  const { study } = report;
  sections.push(
    section("All chips", () =>
      study
        ? explorer(study, search)
        : h(
            "p",
            {},
            "The answer alone does not hold the chips that lost. `phaze search --study FILE` keeps them, and `phaze report FILE` then shows them here; `phaze search --report FILE` does both at once.",
          ),
    ),
  );
  if (search && best) {
    sections.push(section("Sensitivities", () => sensitivities(search, best)));
    sections.push(section("How the search went", () => howItWent(search, best)));
    if (search.own) {
      sections.push(section("Models apart", () => ownBest(search, best)));
    }
    const plans = Object.entries(best.plans);
    for (const [name, plan] of plans) {
      const made = planSections(plan, report.simulations[name] ?? null, plans.length > 1 ? `${name}: ` : "Plan: ");
      sections.push(...made);
    }
  }
  return sections;
}
