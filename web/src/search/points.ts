// The chips of a search as columns of numbers that charts and tables share.

import type { Axis, Search, Study } from "../data";
import { nameOf, objectiveUnit, words } from "../format";

export type State = "evaluated" | "excluded" | "dominated";

export interface Metric {
  key: string;
  label: string;
  unit: string;
  /** Which way is better; nothing where neither is. */
  better: "more" | "less" | null;
  values: Float64Array; // NaN: not known
}

export interface Points {
  count: number;
  ids: string[];
  chips: number[];
  states: State[];
  /** "value" comes first: the objective, of a chip that was excluded its bound. */
  metrics: Metric[];
  best: number | null; // an index
}

function column(values: (number | null)[]): Float64Array {
  return Float64Array.from(values, (value) => value ?? NaN);
}

/** The value of each axis in an id such as "t8-v16-g32M"; NaN where the id does not say. */
export function decodeIds(ids: string[], axes: Axis[]): Float64Array[] {
  const columns = axes.map(() => new Float64Array(ids.length).fill(NaN));
  const known = axes.map((axis) => new Map(axis.codes.map((code, i) => [code, axis.values[i] as number])));
  ids.forEach((id, row) => {
    const parts = id.split("-");
    axes.forEach((_, i) => {
      const value = known[i]?.get(parts[i] ?? "");
      if (value !== undefined) {
        (columns[i] as Float64Array)[row] = value;
      }
    });
  });
  return columns;
}

export function makePoints(study: Study, search: Search | null): Points {
  const { chips } = study;
  const objective = search?.objective ?? study.question["objective"] ?? "value";
  const models = search?.models.length ?? (study.question["models"] ?? "").split(" ").length;
  const unit = objectiveUnit(objective, models, search?.combination ?? study.question["combination"]);
  const metrics: Metric[] = [
    {
      key: "value",
      label: models > 1 ? `${objective} of all models` : objective,
      unit,
      better: "more",
      values: Float64Array.from(chips.id, (_, i) => chips.value[i] ?? chips.bound[i] ?? NaN),
    },
  ];
  for (const [key, values] of Object.entries(chips.metrics)) {
    // Bounds are the value of chips that were excluded, and notes of the search are of a few chips only; with one
    // model its throughput is the value.
    if (/^(bound|most|close|far|schedules|tensor|microbatch)_/.test(key)) {
      continue;
    }
    const isThroughput = key.startsWith("throughput_");
    if (isThroughput && models === 1 && objective === "throughput") {
      continue;
    }
    const name = nameOf(key);
    metrics.push({
      key,
      label: name.label,
      unit: name.unit,
      better: isThroughput ? "more" : "less",
      values: column(values),
    });
  }
  const axes = search?.axes ?? [];
  decodeIds(chips.id, axes).forEach((values, i) => {
    const axis = axes[i] as Axis;
    metrics.push({ key: axis.field, label: words(axis.field), unit: axis.unit, better: null, values });
  });
  const best = study.best === null ? -1 : chips.chip.indexOf(study.best);
  return {
    count: chips.id.length,
    ids: chips.id,
    chips: chips.chip,
    states: chips.state,
    metrics,
    best: best >= 0 ? best : null,
  };
}

export type Ranges = Map<string, [number, number]>;

/** Which points are within all ranges. */
export function within(points: Points, ranges: Ranges): Uint8Array {
  const inside = new Uint8Array(points.count).fill(1);
  for (const metric of points.metrics) {
    const range = ranges.get(metric.key);
    if (!range) {
      continue;
    }
    const [low, high] = range;
    for (let i = 0; i < points.count; i++) {
      const value = metric.values[i] as number;
      if (!(value >= low && value <= high)) {
        inside[i] = 0;
      }
    }
  }
  return inside;
}

/** Of the points `among`, those that none beats in both; along x. Of equal ones the first. */
export function paretoFront(
  x: Float64Array,
  y: Float64Array,
  xBetter: "more" | "less",
  yBetter: "more" | "less",
  among: number[],
): number[] {
  const sx = xBetter === "less" ? 1 : -1;
  const sy = yBetter === "less" ? 1 : -1;
  const known = among.filter((i) => !Number.isNaN(x[i] as number) && !Number.isNaN(y[i] as number));
  known.sort(
    (a, b) => sx * ((x[a] as number) - (x[b] as number)) || sy * ((y[a] as number) - (y[b] as number)) || a - b,
  );
  const front: number[] = [];
  let least = Infinity;
  for (const i of known) {
    const value = sy * (y[i] as number);
    if (value < least) {
      front.push(i);
      least = value;
    }
  }
  return sx > 0 ? front : front.reverse();
}
