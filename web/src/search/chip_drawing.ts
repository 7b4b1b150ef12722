// A chip's die to scale, its parts by area; two dies side by side at one scale.

import type { ChipDescription } from "../data";
import { h, svg } from "../dom";
import { bytes, digits, percent, quantity, withPrefix, words } from "../format";
import { sortableTable } from "../table";
import { gridOf, treemap, type Rectangle } from "./treemap";

const COLOURS: Record<string, string> = {
  tensor_cores: "blue",
  vector_cores: "orange",
  local_buffers: "sky",
  control: "pink",
  global_buffer: "green",
  interconnect: "yellow",
  memory_phy: "red",
  memory_controller: "red",
  link_phy: "grey",
  die_to_die: "grey",
  other: "grey",
};
const GAP = 6; // mm between two dies
const MOST_CELLS = 600;

interface Part {
  name: string;
  area: number;
}

function partsOf(chip: ChipDescription): Part[] {
  return Object.entries(chip.area_breakdown_mm2)
    .filter(([, area]) => area > 0)
    .map(([name, area]) => ({ name, area }))
    .sort((a, b) => b.area - a.area);
}

function cellsOf(chip: ChipDescription, part: string): number {
  const { tensor_cores, vector_cores } = chip.description;
  const count =
    part === "tensor_cores" ? tensor_cores.fabricated : part === "vector_cores" ? vector_cores.fabricated : 1;
  return Math.max(1, Math.min(count, MOST_CELLS));
}

function sizeText(chip: ChipDescription, part: string): string {
  const { tensor_cores: tensor, vector_cores: vector, global_buffer: global, hbm, links } = chip.description;
  const of = (count: number, fabricated: number): string =>
    count === fabricated ? digits(count) : `${count} of ${fabricated}`;
  switch (part) {
    case "tensor_cores":
      return `${of(tensor.count, tensor.fabricated)} × (${tensor.rows} × ${tensor.columns})`;
    case "vector_cores":
      return `${of(vector.count, vector.fabricated)} × ${vector.lanes} lanes`;
    case "local_buffers":
      return `${bytes(tensor.local_buffer_bytes)} + ${bytes(vector.local_buffer_bytes)}`;
    case "global_buffer":
      return `${bytes(global.size_bytes)} at ${withPrefix(global.bandwidth_bytes_per_s, "B/s")}`;
    case "memory_phy":
      return `${hbm.stacks} × ${hbm.generation}`;
    case "link_phy":
      return links ? `${links.count} × ${withPrefix(links.bandwidth_bytes_per_s, "B/s")}` : "";
    default:
      return "";
  }
}

function drawPart(chip: ChipDescription, part: Part, at: Rectangle): SVGElement {
  const group = svg("g", { class: `part part-${COLOURS[part.name] ?? "grey"}` });
  const edge = 0.12;
  const inner = {
    x: at.x + edge,
    y: at.y + edge,
    width: Math.max(0.01, at.width - 2 * edge),
    height: Math.max(0.01, at.height - 2 * edge),
  };
  const count = cellsOf(chip, part.name);
  const { rows, columns } = gridOf(count, inner);
  const width = inner.width / columns;
  const height = inner.height / rows;
  const space = count > 1 ? Math.min(0.18, width / 6, height / 6) : 0;
  for (let i = 0; i < count; i++) {
    group.append(
      svg("rect", {
        x: inner.x + (i % columns) * width + space / 2,
        y: inner.y + Math.floor(i / columns) * height + space / 2,
        width: width - space,
        height: height - space,
      }),
    );
  }
  group.append(
    svg(
      "title",
      {},
      `${words(part.name)}: ${quantity(part.area, "mm²")}, ${percent(part.area / chip.area_mm2)}; ${sizeText(chip, part.name)}`,
    ),
  );
  const label = words(part.name);
  const size = Math.min(1.3, at.width / (label.length * 0.64), at.height * 0.6);
  if (size > 0.55) {
    group.append(
      svg(
        "text",
        {
          x: at.x + at.width / 2,
          y: at.y + at.height / 2,
          "font-size": size,
          "text-anchor": "middle",
          "dominant-baseline": "central",
          "stroke-width": size * 0.28,
        },
        label,
      ),
    );
  }
  return group;
}

function drawDie(chip: ChipDescription, x: number, y: number, caption: string): SVGElement {
  const side = Math.sqrt(chip.area_mm2);
  const parts = partsOf(chip);
  const places = treemap(
    parts.map((part) => part.area),
    { x, y, width: side, height: side },
  );
  return svg(
    "g",
    {},
    svg("rect", { class: "die", x: x - 0.15, y: y - 0.15, width: side + 0.3, height: side + 0.3 }),
    ...parts.map((part, i) => drawPart(chip, part, places[i] as Rectangle)),
    svg("text", { class: "caption", x, y: y - 0.8, "font-size": 1.25 }, caption),
  );
}

/** Dies as squares: only their areas are known. */
export function chipDrawing(
  best: ChipDescription,
  reference: ChipDescription | null,
  referenceName: string,
): HTMLElement {
  const side = Math.sqrt(best.area_mm2);
  const other = reference ? Math.sqrt(reference.area_mm2) : 0;
  const width = Math.max(side + (reference ? GAP + other : 0), 14);
  const height = Math.max(side, other);
  const label = `${best.name}: ${partsOf(best)
    .map((part) => `${words(part.name)} ${quantity(part.area, "mm²")}`)
    .join(", ")}`;
  const picture = svg(
    "svg",
    {
      viewBox: `-0.5 -2.6 ${width + 1} ${height + 5}`,
      role: "img",
      "aria-label": `Drawing to scale. ${label}`,
      class: "chip",
    },
    drawDie(best, 0, 0, `${digits(best.area_mm2)} mm²`),
    reference && drawDie(reference, side + GAP, 0, `${referenceName}: ${digits(reference.area_mm2)} mm²`),
    svg("path", { class: "scale", d: `M0 ${height + 1} v0.6 M0 ${height + 1.3} h5 M5 ${height + 1} v0.6` }),
    svg("text", { class: "caption", x: 5.6, y: height + 1.7, "font-size": 1.1 }, "5 mm"),
  );
  const rows = partsOf(best);
  const table = sortableTable(
    rows,
    [
      {
        name: "part",
        key: (part) => words(part.name),
        show: (part) => h("span", {}, h("i", { class: `key part-${COLOURS[part.name] ?? "grey"}` }), words(part.name)),
      },
      { name: "size", key: (part) => sizeText(best, part.name) },
      { name: "area", key: (part) => part.area, show: (part) => quantity(part.area, "mm²"), isNumber: true },
      {
        name: "share",
        key: (part) => part.area / best.area_mm2,
        show: (part) => percent(part.area / best.area_mm2),
        isNumber: true,
      },
      ...(reference
        ? [
            {
              name: `of ${referenceName}`,
              key: (part: Part) => reference.area_breakdown_mm2[part.name] ?? 0,
              show: (part: Part) => quantity(reference.area_breakdown_mm2[part.name] ?? 0, "mm²"),
              isNumber: true,
            },
          ]
        : []),
    ],
    { caption: "Area by part", sorted: { column: 2, descending: true } },
  );
  return h(
    "div",
    { class: "columns" },
    h(
      "figure",
      {},
      picture,
      h("figcaption", {}, "Areas to scale. Where parts lie on the die, and its outline, are not modelled."),
    ),
    table,
  );
}
