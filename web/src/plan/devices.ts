// The parallel layout: every device as a cell on the levels of the network, coloured by its stage.

import type { Level, Plan } from "../data";
import { freshId, h } from "../dom";
import { digits, withPrefix } from "../format";
import { sortableTable } from "../table";
import { colour, onThemeChange, ramp } from "../theme";
import { groupsOf, membersOf, ranksOf, type Group } from "./groups";

const MOST_DRAWN = 8192;
const LOOKS: Record<Group["axis"], string> = { tensor: "--red", data: "--text", pipeline: "--pink" };

function listed(members: number[]): string {
  return members.length <= 8
    ? members.join(", ")
    : `${members.slice(0, 6).join(", ")}, … ${members[members.length - 1]}`;
}

/** Of a block: full rows where that gives a shape near a square. */
function columnsOf(unit: number): number {
  const least = Math.ceil(Math.sqrt(unit));
  for (let columns = least; columns <= 2 * least; columns++) {
    if (unit % columns === 0) {
      return columns;
    }
  }
  return least;
}

/** Where each device is drawn: blocks of the innermost unit, wrapped in lines. */
export function cells(count: number, unit: number, width: number): { x: number; y: number; size: number }[] {
  const columns = columnsOf(unit);
  const rows = Math.ceil(unit / columns);
  const size = Math.max(4, Math.min(18, Math.sqrt((width * 330) / Math.max(1, count)) - 2));
  const gap = unit > 1 ? Math.max(4, size / 2) : 1;
  const [blockWidth, blockHeight] = [columns * size + gap, rows * size + gap];
  const perLine = Math.max(1, Math.floor((width + gap) / blockWidth));
  return Array.from({ length: count }, (_, device) => {
    const block = Math.floor(device / unit);
    const inside = device % unit;
    return {
      x: (block % perLine) * blockWidth + (inside % columns) * size,
      y: Math.floor(block / perLine) * blockHeight + Math.floor(inside / columns) * size,
      size,
    };
  });
}

export function devices(plan: Plan, levels: Level[]): HTMLElement {
  const groups = groupsOf(plan, levels);
  const used = groups.reduce((product, group) => product * group.size, 1);
  const total = Math.max(used, plan.devices ?? used);
  const drawn = Math.min(total, MOST_DRAWN);
  const unit = levels.length > 1 ? (levels[1] as Level).devices_per_member : 1;
  const stages = groups.find((group) => group.axis === "pipeline")?.size ?? 1;
  const canvas = h("canvas", {
    role: "img",
    "aria-label": `${drawn} devices, coloured by stage; the field above says which groups a device is in`,
  });
  const box = h("div", { class: "timeline" }, canvas);
  const about = h("p", { "aria-live": "polite" });
  const id = freshId("device");
  const input = h("input", {
    id,
    type: "number",
    min: 0,
    max: total - 1,
    value: 0,
    change: () => choose(Number(input.value)),
  });
  let chosen = 0;
  let width = 0; // known once it is on the page
  let places: ReturnType<typeof cells> = [];

  function draw(): void {
    if (width === 0) {
      return;
    }
    const ratio = window.devicePixelRatio || 1;
    const height = Math.max(...places.map((place) => place.y + place.size)) + 4;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const pen = canvas.getContext("2d");
    if (!pen) {
      return;
    }
    pen.scale(ratio, ratio);
    const idle = colour("--idle");
    places.forEach((place, device) => {
      const stage = ranksOf(device, groups).pipeline;
      pen.fillStyle = device >= used ? idle : stages > 1 ? ramp(stage / (stages - 1)) : colour("--blue");
      pen.fillRect(place.x + 1, place.y + 1, place.size - 1.5, place.size - 1.5);
    });
    if (chosen < used) {
      for (const group of [...groups].reverse()) {
        pen.strokeStyle = colour(LOOKS[group.axis]);
        pen.lineWidth = group.axis === "data" ? 1.5 : 2.5;
        for (const member of group.size > 1 ? membersOf(chosen, group) : []) {
          const place = places[member];
          if (place) {
            pen.strokeRect(place.x + 1, place.y + 1, place.size - 1.5, place.size - 1.5);
          }
        }
      }
    }
  }

  function choose(device: number): void {
    chosen = Math.min(Math.max(0, Math.floor(device) || 0), total - 1);
    input.value = String(chosen);
    const ranks = ranksOf(chosen, groups);
    about.replaceChildren(
      chosen >= used
        ? `Device ${chosen} has nothing to do in this plan.`
        : `Device ${chosen}: stage ${ranks.pipeline}, data rank ${ranks.data}, tensor rank ${ranks.tensor}. ` +
            groups
              .filter((group) => group.size > 1)
              .map((group) => `Its ${group.axis} group: ${listed(membersOf(chosen, group))}`)
              .join(". "),
    );
    draw();
  }

  canvas.addEventListener("click", (event) => {
    const found = places.findIndex(
      (place) =>
        event.offsetX >= place.x &&
        event.offsetX < place.x + place.size &&
        event.offsetY >= place.y &&
        event.offsetY < place.y + place.size,
    );
    if (found >= 0) {
      choose(found);
    }
  });
  new ResizeObserver(() => {
    if (box.clientWidth > 0 && box.clientWidth !== width) {
      width = box.clientWidth;
      places = cells(drawn, unit, width);
      draw();
    }
  }).observe(box);
  onThemeChange(draw);
  choose(0);
  const table = sortableTable(
    groups,
    [
      { name: "group", key: (group) => group.axis },
      { name: "devices", isNumber: true, key: (group) => group.size, show: (group) => digits(group.size) },
      { name: "groups", isNumber: true, key: (group) => used / group.size, show: (group) => digits(used / group.size) },
      { name: "apart by", isNumber: true, key: (group) => group.stride, show: (group) => digits(group.stride) },
      { name: "talks over", key: (group) => group.levels.map((level) => levels[level]?.name ?? "").join(", ") || "–" },
    ],
    { caption: "Groups of devices, from the innermost out" },
  );
  const network = sortableTable(
    levels,
    [
      { name: "level", key: (level) => level.name },
      { name: "kind", key: (level) => level.kind.replace(/_/g, " ") },
      {
        name: "joins",
        isNumber: true,
        key: (level) => level.members,
        show: (level) => (level.members === null ? "any number" : digits(level.members)),
      },
      {
        name: "of devices",
        isNumber: true,
        key: (level) => level.devices_per_member,
        show: (level) => digits(level.devices_per_member),
      },
      {
        name: "bandwidth of a device",
        isNumber: true,
        key: (level) => level.bandwidth_bytes_per_s,
        show: (level) => withPrefix(level.bandwidth_bytes_per_s, "B/s"),
      },
      {
        name: "latency",
        isNumber: true,
        key: (level) => level.latency_s,
        show: (level) => withPrefix(level.latency_s, "s"),
      },
    ],
    { caption: "Levels of the network, from the innermost out" },
  );
  return h(
    "div",
    {},
    h(
      "div",
      { class: "controls" },
      h("span", { class: "field" }, h("label", { for: id }, "Device"), input),
      h(
        "span",
        { class: "field" },
        "Outlined: its ",
        h("i", { class: "key line-red" }),
        "tensor, ",
        h("i", { class: "key line-text" }),
        "data and ",
        h("i", { class: "key line-pink" }),
        "pipeline group",
      ),
      stages > 1 && h("span", { class: "field" }, "stage 0 ", rampBar(), ` ${stages - 1}`),
    ),
    about,
    box,
    h(
      "p",
      { class: "hint" },
      `${unit > 1 ? `Blocks are ${levels[0]?.name ?? "the innermost level"}, ${unit} devices each. ` : ""}${total > used ? `${digits(total - used)} of ${digits(total)} devices are idle. ` : ""}${drawn < total ? `The first ${digits(drawn)} of ${digits(total)} devices. ` : ""}Press a device to see its groups.`,
    ),
    table,
    network,
  );
}

function rampBar(): HTMLElement {
  const bar = h("i", { class: "ramp" });
  const draw = (): void => {
    bar.style.background = `linear-gradient(to right, ${[0, 0.25, 0.5, 0.75, 1].map(ramp).join(",")})`;
  };
  draw();
  onThemeChange(draw);
  return bar;
}
