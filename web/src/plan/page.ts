// The report of a plan; a search has one for each model.

import type { Plan, Simulation } from "../data";
import { h } from "../dom";
import { section, type Section } from "../layout";
import { chipDrawing } from "../search/chip_drawing";
import { schedules } from "./cores";
import { devices } from "./devices";
import { gantt } from "./gantt";
import { alternatives, binds, breakdown, planHeadline } from "./headline";
import { memory } from "./memory";
import { roofline } from "./roofline";

/** `prefix` stands before titles where the plan is a part of something. */
export function planSections(plan: Plan, simulation: Simulation | null, prefix = ""): Section[] {
  const isPart = prefix !== "";
  const name = (title: string): string => (isPart ? prefix + title : title.charAt(0).toUpperCase() + title.slice(1));
  const { details } = plan;
  const sections: Section[] = [section(name(isPart ? "summary" : "the plan"), () => planHeadline(plan, simulation))];
  sections.push(
    section(name("one iteration"), () =>
      simulation
        ? gantt(plan, simulation)
        : h("p", {}, "This plan has too many passes to be simulated for a report; `phaze simulate` says more."),
    ),
  );
  sections.push(section(name("memory"), () => memory(plan)));
  if (plan.breakdown) {
    sections.push(section(name("where the time goes"), () => breakdown(plan)));
  }
  if (plan.why) {
    sections.push(section(name("what binds"), () => binds(plan)));
  }
  if (details) {
    sections.push(
      section(name("a layer on the cores"), () => schedules(details, (plan.assumptions ?? "").startsWith("phaze2024"))),
    );
    sections.push(section(name("operators"), () => roofline(details)));
    sections.push(section(name("devices and network"), () => devices(plan, details.cluster.levels)));
    if (!isPart && details.chip) {
      const { chip } = details;
      sections.push(section(name("chip"), () => chipDrawing(chip, null, "")));
    }
  } else {
    sections.push(
      section(name("details"), () =>
        h(
          "p",
          {},
          "This plan does not say what lies behind it (chip, network, operators): `phaze place --output` writes plans that do.",
        ),
      ),
    );
  }
  if (plan.alternatives && plan.alternatives.length > 0) {
    sections.push(section(name("other strategies"), () => alternatives(plan)));
  }
  return sections;
}
