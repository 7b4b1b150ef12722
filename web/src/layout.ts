// Pieces that all parts of the page share.

import { freshId, h, type Child } from "./dom";

export interface Section {
  title: string;
  id: string;
  make: () => HTMLElement;
}

export function section(title: string, make: () => HTMLElement): Section {
  const name = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  return { title, id: freshId(name || "part"), make };
}

/** The section on the page. One that cannot be drawn says so and leaves the others alone. */
export function drawSection(each: Section): HTMLElement {
  let content: Child;
  try {
    content = each.make();
  } catch (error) {
    content = h(
      "p",
      { class: "fault" },
      "This part could not be drawn: what the file says of it is not what phaze writes " +
        `(${error instanceof Error ? error.message : String(error)}).`,
    );
  }
  return h(
    "section",
    { id: each.id, "aria-labelledby": `${each.id}-title` },
    h("h2", { id: `${each.id}-title` }, each.title),
    content,
  );
}

export interface Card {
  name: string;
  value: string;
  key: string;
  note?: string;
}

/** A number in large type with its unit in small. */
function withSmallUnit(value: string): Child[] {
  const found = /^([−+]?[\d.,]+)([ \u00a0]\D+)$/.exec(value);
  return found ? [found[1], h("small", {}, found[2])] : [value];
}

/** Figures in large type. */
export function cards(all: Card[]): HTMLElement {
  return h(
    "dl",
    { class: "cards" },
    ...all.map((card) =>
      h(
        "div",
        {},
        h("dt", {}, card.name),
        h("dd", { "data-figure": card.key }, ...withSmallUnit(card.value.replace(/ %/, "\u00a0%"))),
        card.note ? h("dd", { class: "note" }, card.note.replace(/ %/g, "\u00a0%")) : null,
      ),
    ),
  );
}
