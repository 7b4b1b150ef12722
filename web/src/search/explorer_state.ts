// What the explorer of chips shows: axes, ranges, pins. Views listen to it.

import { paretoFront, within, type Metric, type Points, type Ranges, type State } from "./points";

export class Explorer {
  x: string;
  y = "value";
  colour: string;
  ranges: Ranges = new Map();
  pins: number[] = [];
  shown: Record<State, boolean> = { evaluated: true, excluded: true, dominated: true };
  inside: Uint8Array;
  private readonly listeners: (() => void)[] = [];

  constructor(readonly points: Points) {
    const has = (key: string): boolean => points.metrics.some((metric) => metric.key === key);
    this.x = has("area_mm2") ? "area_mm2" : (points.metrics[1]?.key ?? "value");
    this.colour = has("tdp_w") ? "tdp_w" : this.x;
    this.inside = within(points, this.ranges);
    if (points.best !== null) {
      this.pins = [points.best];
    }
  }

  metric(key: string): Metric {
    return this.points.metrics.find((metric) => metric.key === key) ?? (this.points.metrics[0] as Metric);
  }

  listen(listener: () => void): void {
    this.listeners.push(listener);
  }

  change(set: () => void): void {
    set();
    this.inside = within(this.points, this.ranges);
    for (const listener of this.listeners) {
      listener();
    }
  }

  isShown(i: number): boolean {
    return this.inside[i] === 1 && this.shown[this.points.states[i] as State];
  }

  /** Indices of all that are shown. */
  selected(): number[] {
    const found: number[] = [];
    for (let i = 0; i < this.points.count; i++) {
      if (this.isShown(i)) {
        found.push(i);
      }
    }
    return found;
  }

  /** A third pin takes the second's place; a pin that is there goes. */
  pin(i: number): void {
    this.change(() => {
      if (this.pins.includes(i)) {
        this.pins = this.pins.filter((each) => each !== i);
      } else {
        this.pins = [...this.pins.slice(0, 1), i];
      }
    });
  }

  /** Of the evaluated chips that are shown; empty where an axis has no better side. */
  front(): number[] {
    const x = this.metric(this.x);
    const y = this.metric(this.y);
    if (x.better === null || y.better === null || x.key === y.key) {
      return [];
    }
    const among = this.selected().filter((i) => this.points.states[i] === "evaluated");
    return paretoFront(x.values, y.values, x.better, y.better, among);
  }
}
