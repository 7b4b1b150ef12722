// Rows of spans over time on a canvas: tens of thousands of them, zoomed by dragging, buttons or
// keys.

import { button, h } from "../dom";
import { seconds } from "../format";
import { colour, onThemeChange } from "../theme";

export interface Span {
  start: number;
  end: number;
  look: string; // a colour of the style sheet
  text: string; // inside, where there is room
  shortText?: string; // where there is less
  about: string; // when it is pointed at
  /** Share of the row's height, from the top. */
  from?: number;
  to?: number;
}

export interface TimelineRow {
  name: string;
  spans: Span[]; // by their start
}

const LABEL = 74;
const AXIS = 26;

/** The tick distance (1, 2 or 5 times a power of ten) that gives about `count` ticks. */
export function tickStep(length: number, count: number): number {
  const rough = length / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((times) => times * power).find((step) => step >= rough) ?? 10 * power;
}

/** The first span that could reach `time` or later, where no span is longer than `longest`. */
export function firstAt(spans: Span[], time: number, longest: number): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle] as Span).start < time - longest) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

export function timeline(label: string, rows: TimelineRow[], end: number, legend: [string, string][]): HTMLElement {
  const rowHeight = Math.max(11, Math.min(34, Math.floor(760 / rows.length)));
  const height = AXIS + rows.length * rowHeight + 4;
  const longest = rows.map((row) => row.spans.reduce((most, span) => Math.max(most, span.end - span.start), 0));
  const canvas = h("canvas", {
    tabindex: 0,
    role: "img",
    "aria-label": `${label}. Arrow keys move, plus and minus zoom, 0 shows all.`,
  });
  const tip = h("div", { class: "tip", hidden: true });
  const brush = h("div", { class: "brush", hidden: true });
  const box = h("div", { class: "timeline" }, canvas, brush, tip);
  let [low, high] = [0, end];
  let width = 0; // known once it is on the page

  const x = (time: number): number => LABEL + ((time - low) / (high - low)) * (width - LABEL);
  const timeAt = (pixel: number): number => low + ((pixel - LABEL) / (width - LABEL)) * (high - low);

  function draw(): void {
    if (width === 0) {
      return;
    }
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const pen = canvas.getContext("2d");
    if (!pen) {
      return;
    }
    pen.scale(ratio, ratio);
    const [text, muted, faint, idle, card] = ["--text", "--muted", "--faint", "--idle", "--on-part"].map(colour) as [
      string,
      string,
      string,
      string,
      string,
    ];
    const looks = new Map(legend.map(([, look]) => [look, colour(`--${look}`)]));
    pen.clearRect(0, 0, width, height);
    pen.font = "12px system-ui, sans-serif";
    pen.textBaseline = "middle";
    const step = tickStep(high - low, (width - LABEL) / 110);
    for (let tick = Math.ceil(low / step) * step; tick <= high; tick += step) {
      const at = x(tick);
      pen.fillStyle = faint;
      pen.fillRect(at, AXIS - 6, 1, height - AXIS + 6);
      pen.fillStyle = muted;
      pen.textAlign = at > width - 40 ? "right" : at < LABEL + 20 ? "left" : "center";
      pen.fillText(tick === 0 ? "0" : seconds(Number(tick.toPrecision(6))), at, 9);
    }
    rows.forEach((row, i) => {
      const top = AXIS + i * rowHeight;
      const inner = rowHeight - (rowHeight > 16 ? 4 : 2);
      pen.fillStyle = idle;
      pen.fillRect(LABEL, top, width - LABEL, inner);
      if (rowHeight >= 13 || i % 2 === 0) {
        pen.fillStyle = text;
        pen.textAlign = "right";
        pen.fillText(row.name, LABEL - 6, top + inner / 2, LABEL - 8);
      }
      let drawnTo = -1; // what is narrower than a pixel is drawn once a pixel
      for (let at = firstAt(row.spans, low, longest[i] as number); at < row.spans.length; at++) {
        const span = row.spans[at] as Span;
        if (span.start > high) {
          break;
        }
        const left = Math.max(LABEL, x(span.start));
        const right = Math.min(width, x(span.end));
        if (right <= left && span.end > span.start && right < LABEL) {
          continue;
        }
        const wide = right - left;
        if (wide < 0.4 && left - drawnTo < 0.4) {
          continue;
        }
        drawnTo = left;
        const [from, to] = [top + inner * (span.from ?? 0), top + inner * (span.to ?? 1)];
        pen.fillStyle = looks.get(span.look) ?? muted;
        pen.fillRect(left, from, Math.max(wide - (wide > 4 ? 0.8 : 0), 0.6), to - from);
        if (wide > 9 && to - from >= 9) {
          const shown = pen.measureText(span.text).width < wide - 3 ? span.text : (span.shortText ?? "");
          if (shown !== "" && pen.measureText(shown).width < wide) {
            pen.fillStyle = card;
            pen.textAlign = "center";
            pen.fillText(shown, (left + right) / 2, (from + to) / 2 + 0.5);
          }
        }
      }
    });
  }

  function zoom(from: number, to: number): void {
    const length = Math.max(Math.min(to - from, end), end / 1e6);
    low = Math.max(0, Math.min(from, end - length));
    high = Math.min(end, low + length);
    draw();
  }
  const scale = (factor: number): void => {
    const middle = (low + high) / 2;
    const half = ((high - low) * factor) / 2;
    zoom(middle - half, middle + half);
  };
  const shift = (share: number): void => zoom(low + share * (high - low), high + share * (high - low));

  function spanAt(pixelX: number, pixelY: number): Span | null {
    const at = Math.floor((pixelY - AXIS) / rowHeight);
    const row = rows[at];
    if (!row || pixelX < LABEL) {
      return null;
    }
    const inner = rowHeight - (rowHeight > 16 ? 4 : 2);
    const share = (pixelY - AXIS - at * rowHeight) / inner;
    const [time, slack] = [timeAt(pixelX), (high - low) / (width - LABEL)];
    let found: Span | null = null;
    for (let i = firstAt(row.spans, time - slack, longest[at] as number); i < row.spans.length; i++) {
      const span = row.spans[i] as Span;
      if (span.start > time + slack) {
        break;
      }
      if (span.end >= time - slack && share >= (span.from ?? 0) && share <= (span.to ?? 1)) {
        found = span;
      }
    }
    return found;
  }

  let from: number | null = null;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button === 0 && event.pointerType !== "touch") {
      from = event.offsetX;
      canvas.setPointerCapture(event.pointerId);
    }
  });
  canvas.addEventListener("pointermove", (event) => {
    if (from !== null && Math.abs(event.offsetX - from) > 4) {
      brush.hidden = false;
      brush.style.left = `${Math.max(LABEL, Math.min(from, event.offsetX))}px`;
      brush.style.width = `${Math.abs(event.offsetX - from)}px`;
      brush.style.top = `${AXIS}px`;
      brush.style.height = `${height - AXIS}px`;
      tip.hidden = true;
      return;
    }
    const span = spanAt(event.offsetX, event.offsetY);
    tip.hidden = span === null;
    if (span) {
      tip.textContent = `${span.about}: ${seconds(span.start)} to ${seconds(span.end)} (${seconds(span.end - span.start)})`;
      tip.style.left = `${Math.max(4, Math.min(event.offsetX + 12, width - tip.offsetWidth - 4))}px`;
      tip.style.top = `${event.offsetY + 16}px`;
    }
  });
  canvas.addEventListener("pointerup", (event) => {
    if (from !== null && Math.abs(event.offsetX - from) > 4) {
      zoom(timeAt(Math.max(LABEL, Math.min(from, event.offsetX))), timeAt(Math.max(from, event.offsetX)));
    }
    from = null;
    brush.hidden = true;
  });
  canvas.addEventListener("pointerleave", () => (tip.hidden = true));
  canvas.addEventListener("dblclick", () => zoom(0, end));
  canvas.addEventListener("keydown", (event) => {
    const keys: Record<string, () => void> = {
      ArrowLeft: () => shift(-0.2),
      ArrowRight: () => shift(0.2),
      "+": () => scale(0.5),
      "-": () => scale(2),
      "0": () => zoom(0, end),
    };
    const act = keys[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  });
  onThemeChange(draw);
  new ResizeObserver(() => {
    if (box.clientWidth > 0 && box.clientWidth !== width) {
      width = box.clientWidth;
      draw();
    }
  }).observe(box);

  return h(
    "figure",
    {},
    h(
      "div",
      { class: "controls" },
      ...legend.map(([name, look]) => h("span", { class: "field" }, h("i", { class: `key part-${look}` }), name)),
      h("span", { class: "field" }, h("i", { class: "key idle" }), "idle"),
      h(
        "span",
        { class: "field no-print" },
        button("Zoom in", () => scale(0.5)),
        button("Zoom out", () => scale(2)),
        button("◀", () => shift(-0.5), { "aria-label": "Earlier" }),
        button("▶", () => shift(0.5), { "aria-label": "Later" }),
        button("All", () => zoom(0, end)),
      ),
    ),
    box,
  );
}
