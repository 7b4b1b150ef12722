// A plan in words and large figures, and where its time goes.

import type { Plan, Simulation } from "../data";
import { h } from "../dom";
import { bytes, digits, percent, plural, quantity, seconds, withPrefix } from "../format";
import { cards, type Card } from "../layout";
import { sortableTable } from "../table";

export function strategyText(plan: Plan): string {
  const parts = [
    `tensor ${plan.tensor ?? 1}${plan.sequence_parallel ? " (sequence parallel)" : ""}`,
    `pipeline ${plan.pipeline ?? plan.stages.length}`,
    `data ${plan.data ?? 1}`,
    (plan.interleave ?? 1) > 1 ? `interleave ${plan.interleave}` : "",
    `micro-batch ${plan.microbatch ?? 1} (${plural(plan.microbatches, "of them", "of them")})`,
    `recompute ${plan.recompute ?? "none"}`,
    `ZeRO ${plan.zero ?? 0}`,
    plan.schedule ?? "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

function proof(plan: Plan): { value: string; note: string } {
  if (plan.fits === false) {
    return {
      value: "Does not fit",
      note: `the fullest stage needs ${bytes(plan.peak_memory_bytes ?? NaN)} of ${bytes(plan.capacity_bytes)}`,
    };
  }
  if (plan.status === "optimal") {
    return { value: "Proved best", note: "no strategy that was allowed is faster" };
  }
  const gap = plan.bound_s ? plan.iteration_s / plan.bound_s - 1 : NaN;
  return {
    value: Number.isFinite(gap) ? `Within ${percent(gap)}` : "Not proved",
    note: "the best found; a better one can save no more",
  };
}

/** Where measured runs like this one lie. Nothing in plans that do not say it. */
export function rangeCard(plan: Plan, name = "how sure"): Card[] {
  const [low, high] = plan.iteration_range_s ?? [];
  const basis = plan.range_basis ?? "";
  if (typeof low === "number" && typeof high === "number") {
    const share = percent(plan.range_share ?? NaN);
    const value = `${seconds(low)} to ${seconds(high)}`;
    return [{ name, value, key: "range", note: `an iteration, ${share} range; from ${basis}` }];
  }
  return basis === "" ? [] : [{ name, value: "Not known", key: "range", note: basis.replace(/^none: /, "") }];
}

export function planHeadline(plan: Plan, simulation: Simulation | null): HTMLElement {
  const status = proof(plan);
  const training = plan.training;
  return h(
    "div",
    {},
    h("p", { class: "lead" }, `${strategyText(plan)}.`),
    cards([
      {
        name: "iteration",
        value: seconds(plan.iteration_s),
        key: "iteration",
        note: simulation
          ? `simulated ${seconds(simulation.iteration_s)} (${percent(simulation.difference, true)})`
          : "",
      },
      {
        name: "throughput",
        value: quantity(plan.throughput_sequences_per_s, "sequences/s"),
        key: "throughput",
        note: plan.tokens_per_s ? `${withPrefix(plan.tokens_per_s, "tokens/s")}` : "",
      },
      ...(plan.mfu !== undefined
        ? [
            {
              name: "MFU",
              value: percent(plan.mfu),
              key: "mfu",
              note: `HFU ${percent(plan.hfu ?? NaN)}, with what is recomputed`,
            },
          ]
        : []),
      ...(plan.status !== undefined || plan.fits === false ? [{ name: "proof", ...status, key: "proof" }] : []),
      {
        name: "peak memory",
        value: bytes(plan.peak_memory_bytes ?? NaN),
        key: "memory",
        note: `of ${bytes(plan.capacity_bytes)} on a device`,
      },
      {
        name: "devices",
        value: digits((plan.tensor ?? 1) * (plan.data ?? 1) * plan.stages.length),
        key: "devices",
        note: plan.devices ? `of ${digits(plan.devices)} that there are` : "",
      },
      ...rangeCard(plan),
    ]),
    training &&
      h(
        "p",
        {},
        `${withPrefix(training.tokens, "tokens")} take ${digits(training.days)} days, ${withPrefix(training.energy_kwh * 1000, "Wh")}, ${withPrefix(training.cost_usd, "USD")} and ${digits(training.carbon_kg / 1000)} t CO₂e.`,
      ),
    h(
      "p",
      { class: "hint" },
      [
        plan.model,
        plan.chip && `on ${plan.chip}`,
        plan.cluster && `cluster ${plan.cluster}`,
        plan.global_batch && `global batch ${digits(plan.global_batch)}`,
        plan.sequence && `sequence of ${digits(plan.sequence)} tokens`,
        plan.assumptions && `assumptions ${plan.assumptions}`,
      ]
        .filter(Boolean)
        .join(", "),
    ),
    ...(plan.notes ?? []).map((note) => h("p", { class: "hint" }, note)),
  );
}

const PARTS: [string, string, string][] = [
  ["compute_s", "compute", "blue"],
  ["recompute_s", "recomputation", "sky"],
  ["tensor_s", "tensor-parallel communication", "orange"],
  ["pipeline_s", "transfers between stages", "pink"],
  ["data_s", "gradient synchronisation", "green"],
  ["optimizer_s", "optimiser", "yellow"],
  ["bubble_s", "bubble", "grey"],
];

export function breakdown(plan: Plan): HTMLElement {
  const rows = PARTS.map(([key, name, look]) => ({ name, look, time: plan.breakdown?.[key] ?? 0 })).filter(
    (row) => row.time > 0,
  );
  const busy = plan.utilisation;
  return h(
    "div",
    {},
    h(
      "div",
      {
        class: "stack tall",
        role: "img",
        "aria-label": rows.map((row) => `${row.name} ${seconds(row.time)}`).join(", "),
      },
      ...rows.map((row) =>
        h(
          "span",
          {
            class: `part-${row.look}`,
            style: `flex:${row.time / plan.iteration_s}`,
            title: `${row.name}: ${seconds(row.time)}`,
          },
          row.time / plan.iteration_s > 0.12 ? h("b", {}, row.name) : null,
        ),
      ),
    ),
    sortableTable(
      rows,
      [
        {
          name: "part of an iteration",
          key: (row) => row.name,
          show: (row) => h("span", {}, h("i", { class: `key part-${row.look}` }), row.name),
        },
        { name: "time", isNumber: true, key: (row) => row.time, show: (row) => seconds(row.time) },
        {
          name: "share",
          isNumber: true,
          key: (row) => row.time / plan.iteration_s,
          show: (row) => percent(row.time / plan.iteration_s),
        },
      ],
      { caption: "Means over the stages; they add up to the iteration" },
    ),
    busy &&
      h(
        "p",
        {},
        `Busy: tensor cores ${percent(busy.tensor)}, vector cores ${percent(busy.vector)}, HBM ${percent(busy.hbm)}, links ${percent(busy.link)}.`,
      ),
  );
}

export function binds(plan: Plan): HTMLElement {
  const why = plan.why as NonNullable<Plan["why"]>;
  return h(
    "div",
    {},
    h("p", {}, why.words),
    sortableTable(
      why.with,
      [
        { name: "with", isLong: true, key: (row) => row.with },
        {
          name: "iteration",
          isNumber: true,
          key: (row) => row.iteration_s,
          show: (row) => (row.iteration_s === null ? "no plan" : seconds(row.iteration_s)),
        },
        {
          name: "change",
          isNumber: true,
          key: (row) => (row.iteration_s === null ? null : row.iteration_s / plan.iteration_s - 1),
          show: (row) => (row.iteration_s === null ? "–" : percent(row.iteration_s / plan.iteration_s - 1, true)),
        },
        {
          name: "of what is added",
          isNumber: true,
          key: (row) => row.elasticity,
          show: (row) => (row.elasticity === null ? "–" : percent(row.elasticity)),
        },
      ],
      { caption: "What the best time becomes with more of something" },
    ),
  );
}

export function alternatives(plan: Plan): HTMLElement {
  return sortableTable(
    plan.alternatives ?? [],
    [
      { name: "next best plans", isLong: true, key: (other) => strategyText({ ...other, stages: [] }) },
      {
        name: "iteration",
        isNumber: true,
        key: (other) => other.iteration_s,
        show: (other) => seconds(other.iteration_s),
      },
      { name: "longer by", isNumber: true, key: (other) => other.loss, show: (other) => percent(other.loss, true) },
      {
        name: "peak memory",
        isNumber: true,
        key: (other) => other.peak_memory_bytes,
        show: (other) => bytes(other.peak_memory_bytes ?? NaN),
      },
    ],
    { caption: "Other strategies" },
  );
}
