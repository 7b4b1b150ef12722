import "./style.css";
import type { Report } from "./data";
import { button, h } from "./dom";
import { drawSection, type Section } from "./layout";
import { planSections } from "./plan/page";
import { searchSections } from "./search/page";
import { choice, choose, startTheme, type Choice } from "./theme";

function readDocument(): Report {
  const text = document.getElementById("document")?.textContent ?? "";
  return JSON.parse(text) as Report;
}

function download(report: Report): void {
  const text = document.getElementById("document")?.textContent ?? "";
  const link = h("a", {
    href: URL.createObjectURL(new Blob([text], { type: "application/json" })),
    download: `${report.source.replace(/[^\w.-]+/g, "_") || "report"}.report.json`,
  });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // when it has long been saved
}

function themeSwitch(): HTMLElement {
  const names: [Choice, string][] = [
    ["auto", "Auto"],
    ["light", "Light"],
    ["dark", "Dark"],
  ];
  const buttons = names.map(([theme, name]) =>
    button(
      name,
      () => {
        choose(theme);
        mark();
      },
      { "data-theme-choice": theme },
    ),
  );
  const mark = (): void =>
    buttons.forEach((each) => each.setAttribute("aria-pressed", String(each.dataset["themeChoice"] === choice())));
  mark();
  return h("span", { class: "switch no-print", role: "group", "aria-label": "Colours" }, ...buttons);
}

function titleOf(report: Report): string {
  if (report.kind === "plan") {
    const plan = report.plan;
    return `${plan?.model || "Training"} on ${plan?.chip || "a chip"}`;
  }
  const models = report.search?.models ?? (report.study?.question["models"] ?? "").split(" ");
  return `The best chip for ${models.join(", ")}`;
}

// The first picture does not wait for the last one.
const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
const nextFrame = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => resolve()));

async function draw(report: Report, place: HTMLElement): Promise<void> {
  const title = titleOf(report);
  document.title = `${title} · Phaze`;
  const sections: Section[] =
    report.kind === "plan" && report.plan
      ? planSections(report.plan, Object.values(report.simulations)[0] ?? null)
      : searchSections(report);
  place.append(
    h("a", { class: "skip", href: `#${sections[0]?.id ?? ""}` }, "To the content"),
    h(
      "header",
      {},
      h("div", {}, h("h1", {}, title), h("p", { class: "hint" }, `${report.source}, ${report.program}`)),
      h(
        "div",
        { class: "tools no-print" },
        themeSwitch(),
        button("Download JSON", () => download(report)),
        button("Print", () => window.print()),
      ),
    ),
    h(
      "nav",
      { class: "no-print", "aria-label": "Parts of this report" },
      ...sections.map((each) => h("a", { href: `#${each.id}` }, each.title)),
    ),
  );
  for (const each of sections) {
    place.append(drawSection(each));
    await nextTask();
  }
  place.append(
    h(
      "footer",
      {},
      h(
        "p",
        { class: "hint" },
        "Every number comes from the document inside this page; Download JSON saves it. Nothing is loaded from a network.",
      ),
    ),
  );
}

async function start(): Promise<void> {
  startTheme();
  const place = document.getElementById("report") as HTMLElement;
  try {
    await draw(readDocument(), place);
    if (window.location.hash) {
      document.getElementById(window.location.hash.slice(1))?.scrollIntoView();
    }
  } catch (error) {
    place.append(
      h(
        "p",
        { class: "fault" },
        `This report could not be read: ${error instanceof Error ? error.message : String(error)}`,
      ),
    );
  }
  // Charts are drawn when they have their place: with the next frame.
  await nextFrame();
  await nextFrame();
  document.documentElement.dataset["ready"] = "true";
}

void start();
