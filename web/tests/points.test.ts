import { describe, expect, it } from "vitest";
import type { Axis, Study } from "../src/data";
import { decodeIds, makePoints, paretoFront, within } from "../src/search/points";
import { Nearest } from "../src/search/nearest";

const AXES: Axis[] = [
  { field: "tensor_cores.count", letter: "t", unit: "", codes: ["t4", "t8"], values: [4, 8] },
  { field: "global_buffer.size", letter: "g", unit: "B", codes: ["g16M", "g32M"], values: [2 ** 24, 2 ** 25] },
];

const STUDY: Study = {
  state: "finished",
  question: { objective: "throughput", models: "m" },
  counts: { total: 3, settled: 3, evaluated: 2, excluded: 1, dominated: 0, without_plan: 0 },
  best: 7,
  bound: 9,
  gap: 0,
  excluded_ranges: [],
  chips: {
    chip: [5, 7, 9],
    id: ["t4-g16M", "t8-g32M", "t8-g16M"],
    state: ["evaluated", "evaluated", "excluded"],
    value: [4, 9, null],
    bound: [null, null, 6],
    witness: [null, null, null],
    metrics: {
      area_mm2: [10, 30, 20],
      throughput_m_sequences_per_s: [4, 9, null],
      bound_m_sequences_per_s: [null, null, 6],
    },
  },
};

describe("chips as points", () => {
  it("have the values that their ids say", () => {
    const [cores, buffer] = decodeIds(["t8-g16M", "t4-g32M-m32G", "other"], AXES);
    expect([...(cores ?? [])]).toEqual([8, 4, NaN]);
    expect([...(buffer ?? [])]).toEqual([2 ** 24, 2 ** 25, NaN]);
  });
  it("stand at their bound where they were excluded", () => {
    const points = makePoints(STUDY, null);
    expect([...(points.metrics[0]?.values ?? [])]).toEqual([4, 9, 6]);
    expect(points.best).toBe(1);
    expect(points.metrics.map((metric) => metric.key)).toEqual(["value", "area_mm2"]);
  });
  it("are kept by ranges, ends included", () => {
    const points = makePoints(STUDY, null);
    expect([...within(points, new Map([["area_mm2", [10, 20]]]))]).toEqual([1, 0, 1]);
    expect([
      ...within(
        points,
        new Map([
          ["area_mm2", [10, 20]],
          ["value", [5, 9]],
        ]),
      ),
    ]).toEqual([0, 0, 1]);
  });
});

describe("the front", () => {
  it("is the one that trying all pairs finds", () => {
    let seed = 1;
    const random = (): number => (seed = (seed * 16807) % 2147483647) / 2147483647;
    for (let round = 0; round < 50; round++) {
      const x = Float64Array.from({ length: 30 }, () => Math.floor(random() * 10));
      const y = Float64Array.from({ length: 30 }, () => Math.floor(random() * 10));
      const all = [...x.keys()];
      for (const xBetter of ["more", "less"] as const) {
        for (const yBetter of ["more", "less"] as const) {
          const [sx, sy] = [xBetter === "less" ? 1 : -1, yBetter === "less" ? 1 : -1];
          const at = (values: Float64Array, i: number, sign: number): number => sign * (values[i] as number);
          const isBeaten = (i: number): boolean =>
            all.some(
              (j) =>
                at(x, j, sx) <= at(x, i, sx) &&
                at(y, j, sy) <= at(y, i, sy) &&
                (at(x, j, sx) < at(x, i, sx) || at(y, j, sy) < at(y, i, sy) || j < i),
            );
          const front = paretoFront(x, y, xBetter, yBetter, all);
          expect([...front].sort((a, b) => a - b)).toEqual(all.filter((i) => !isBeaten(i)));
          expect(front.map((i) => x[i])).toEqual(front.map((i) => x[i] as number).sort((a, b) => a - b));
        }
      }
    }
  });
});

describe("the nearest point", () => {
  it("is the one that trying all finds", () => {
    const x = Float32Array.from({ length: 500 }, (_, i) => (i * 37.3) % 400);
    const y = Float32Array.from({ length: 500 }, (_, i) => (i * 91.7) % 300);
    const nearest = new Nearest(x, y, 400);
    for (let round = 0; round < 200; round++) {
      const [atX, atY] = [(round * 53.1) % 400, (round * 29.9) % 300];
      const distance = (i: number): number => Math.hypot((x[i] as number) - atX, (y[i] as number) - atY);
      const least = Math.min(...[...x.keys()].map(distance));
      const found = nearest.find(atX, atY, () => 0);
      expect(found === null ? 16 : distance(found)).toBeCloseTo(Math.min(least, 16), 4);
    }
  });
  it("is the more telling one of those in one place, and none far away", () => {
    const nearest = new Nearest(Float32Array.of(10, 10.5, NaN), Float32Array.of(10, 10, 10), 100);
    expect(nearest.find(10, 10, (i) => i)).toBe(1);
    expect(nearest.find(10, 10, (i) => -i)).toBe(0);
    expect(nearest.find(60, 60, () => 0)).toBe(null);
  });
});
