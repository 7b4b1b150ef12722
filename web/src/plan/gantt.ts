// One iteration of a plan: what each stage does when, from the event simulation.

import type { Passes, Plan, Simulation, SimulatedStage } from "../data";
import { h } from "../dom";
import { digits, percent, plural, seconds } from "../format";
import { timeline, type Span, type TimelineRow } from "./timeline";

// Of a stage's row: passes above, what it sends below.
const PASSES = 0.8;

function passSpans(passes: Passes, stage: number, chunks: number): Span[] {
  return passes.start_s.map((start, i) => {
    const isForward = passes.kind[i] === "f";
    const microbatch = passes.microbatch[i] as number;
    const chunk = passes.chunk[i] as number;
    return {
      start,
      end: passes.end_s[i] as number,
      look: isForward ? "blue" : "orange",
      text: `${isForward ? "F" : "B"}${microbatch}`,
      shortText: String(microbatch),
      about: `stage ${stage}, ${isForward ? "forward" : "backward"} of micro-batch ${microbatch}${chunks > 1 ? `, chunk ${chunk}` : ""}`,
      to: PASSES,
    };
  });
}

function sentSpans(sent: Passes, stage: number): Span[] {
  return sent.start_s.map((start, i) => ({
    start,
    end: sent.end_s[i] as number,
    look: "green",
    text: "",
    about: `stage ${stage} sends ${sent.kind[i] === "f" ? "activations" : "gradients"} of micro-batch ${sent.microbatch[i]}`,
    from: PASSES,
  }));
}

export function stageSpans(stage: SimulatedStage, at: number, simulation: Simulation): Span[] {
  const spans = [...passSpans(stage.passes, at, simulation.interleave), ...sentSpans(stage.sent, at)];
  if (stage.reduction_end_s > stage.reduction_start_s) {
    spans.push({
      start: stage.reduction_start_s,
      end: stage.reduction_end_s,
      look: "pink",
      text: "",
      about: `stage ${at} reduces gradients`,
      from: PASSES,
    });
  }
  if (stage.optimizer_s > 0) {
    const start = simulation.optimizer_start_s;
    spans.push({
      start,
      end: start + stage.optimizer_s,
      look: "yellow",
      text: "opt",
      about: `stage ${at}: optimiser step`,
      to: PASSES,
    });
  }
  return spans.sort((a, b) => a.start - b.start);
}

export function gantt(plan: Plan, simulation: Simulation): HTMLElement {
  const rows: TimelineRow[] = simulation.stages.map((stage, i) => ({
    name: `stage ${i}`,
    spans: stageSpans(stage, i, simulation),
  }));
  const isCut = simulation.shown_until_s < simulation.iteration_s;
  const has = (look: string): boolean => rows.some((row) => row.spans.some((span) => span.look === look));
  const legend: [string, string][] = [
    ["forward", "blue"],
    ["backward", "orange"],
    ["transfer to another stage", "green"],
    ["reduction of gradients", "pink"],
    ["optimiser", "yellow"],
  ];
  return h(
    "div",
    {},
    h(
      "p",
      {},
      `${plural(simulation.stages.length, "stage")}, ${plural(plan.microbatches, "micro-batch", "micro-batches")}${simulation.interleave > 1 ? `, ${simulation.interleave} chunks of layers on each device` : ""}: `,
      h("b", { "data-figure": "simulated" }, seconds(simulation.iteration_s)),
      ` by the simulation of ${digits(simulation.events)} events, ${percent(simulation.difference, true)} against the plan's formula. Of that ${percent(simulation.bubble)} is bubble.`,
    ),
    timeline(
      `One iteration: ${simulation.stages.length} stages over ${seconds(simulation.iteration_s)}`,
      rows,
      isCut ? simulation.shown_until_s : simulation.iteration_s,
      legend.filter(([, look]) => has(look)),
    ),
    h(
      "p",
      { class: "hint" },
      `${isCut ? `The first ${seconds(simulation.shown_until_s)} of the iteration: it has more passes than can be shown. ` : ""}Numbers are micro-batches. Drag to zoom in, press twice to see all; on the chart, arrow keys move, + and − zoom.`,
    ),
  );
}
