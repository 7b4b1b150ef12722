import { describe, expect, it } from "vitest";
import type { LayerPass, Level, Operator, Plan, Simulation } from "../src/data";
import { coreRows } from "../src/plan/cores";
import { cells } from "../src/plan/devices";
import { stageSpans } from "../src/plan/gantt";
import { groupsOf, membersOf, ranksOf } from "../src/plan/groups";
import { firstAt, tickStep, type Span } from "../src/plan/timeline";
import { gridOf, treemap } from "../src/search/treemap";
import { compareKeys } from "../src/table";

const LEVELS: Level[] = [
  { name: "nvlink", kind: "switch", members: 8, devices_per_member: 1, bandwidth_bytes_per_s: 4.5e11, latency_s: 0 },
  {
    name: "infiniband",
    kind: "fat_tree",
    members: null,
    devices_per_member: 8,
    bandwidth_bytes_per_s: 5e10,
    latency_s: 0,
  },
];
const PLAN: Plan = {
  iteration_s: 1,
  microbatches: 4,
  capacity_bytes: 1,
  transfer_s: 0,
  stages: [],
  tensor: 4,
  data: 4,
  pipeline: 2,
  order: "tdp",
};

describe("groups of devices", () => {
  it("go from the innermost out and know their levels", () => {
    expect(groupsOf(PLAN, LEVELS)).toEqual([
      { axis: "tensor", size: 4, stride: 1, levels: [0] },
      { axis: "data", size: 4, stride: 4, levels: [0, 1] },
      { axis: "pipeline", size: 2, stride: 16, levels: [1] },
    ]);
  });
  it("hold each device once, whatever the order", () => {
    for (const order of ["tdp", "tpd", "dtp", "dpt", "ptd", "pdt"]) {
      const groups = groupsOf({ ...PLAN, order }, LEVELS);
      const seen = new Set<string>();
      for (let device = 0; device < 32; device++) {
        const ranks = ranksOf(device, groups);
        seen.add(`${ranks.tensor} ${ranks.data} ${ranks.pipeline}`);
        for (const group of groups) {
          const members = membersOf(device, group);
          expect(members).toHaveLength(group.size);
          expect(members).toContain(device);
          for (const member of members) {
            const other = ranksOf(member, groups);
            expect({ ...other, [group.axis]: 0 }).toEqual({ ...ranks, [group.axis]: 0 });
          }
        }
      }
      expect(seen.size).toBe(32);
    }
  });
  it("are drawn without one device over another", () => {
    const places = cells(100, 8, 500);
    expect(new Set(places.map((place) => `${Math.round(place.x)} ${Math.round(place.y)}`)).size).toBe(100);
    expect(Math.max(...places.map((place) => place.x + place.size))).toBeLessThanOrEqual(500);
  });
});

const operator = (id: string, unit: Operator["unit"], more: Partial<Operator>): Operator => ({
  id,
  kind: "matmul",
  unit,
  start_s: 0,
  end_s: 1,
  wide: false,
  alone_s: 1,
  bound: "compute",
  utilisation: 1,
  flops: 1,
  vector_flops: 0,
  hbm_bytes: 1,
  global_bytes: 1,
  network_bytes: 0,
  energy_j: 0,
  ...more,
});

describe("a layer on the cores", () => {
  it("shows every operator on every core that it has, cores that do the same once", () => {
    const pass: LayerPass = {
      name: "l",
      pass: "forward",
      repeat: 1,
      counted_s: 3,
      time_s: 3,
      makespan_s: 3,
      lower_bound_s: 3,
      proved: true,
      serial: false,
      busy_cores: 2,
      floor_s: 0,
      floor: "none",
      cores: { tensor: 8, vector: 2 },
      operators: [
        operator("q", "tensor", { wide: true }),
        operator("k", "tensor", { tensor_core: 2, start_s: 1, end_s: 2 }),
        operator("n", "both", { tensor_core: 0, vector_core: 0, start_s: 1, end_s: 2 }),
        operator("r", "network", { start_s: 2, end_s: 3 }),
      ],
    };
    expect(coreRows(pass).map((row) => [row.name, row.spans.map((span) => span.text)])).toEqual([
      ["t0", ["q", "n"]],
      ["t1", ["q"]],
      ["t2", ["q", "k"]],
      ["t3–t7", ["q"]],
      ["v0", ["n"]],
      ["v1", []],
      ["network", ["r"]],
    ]);
  });
});

describe("an iteration", () => {
  it("has all passes, transfers, the reduction and the optimiser, by their start", () => {
    const stage = {
      busy_s: 3,
      transfers_s: 0,
      bubble_s: 0,
      reduction_s: 1,
      reduction_start_s: 3,
      reduction_end_s: 4,
      optimizer_s: 1,
      peak_memory_bytes: 1,
      passes: { kind: "fb", chunk: [0, 0], microbatch: [0, 0], start_s: [0, 1], end_s: [1, 3] },
      sent: { kind: "f", chunk: [0], microbatch: [0], start_s: [1], end_s: [1.5] },
    };
    const simulation = { interleave: 1, optimizer_start_s: 4 } as Simulation;
    const spans = stageSpans(stage, 0, simulation);
    expect(spans.map((span) => [span.start, span.end, span.text])).toEqual([
      [0, 1, "F0"],
      [1, 3, "B0"],
      [1, 1.5, ""],
      [3, 4, ""],
      [4, 5, "opt"],
    ]);
  });
  it("is searched for the first span that could be seen", () => {
    const spans = [0, 1, 2, 3, 4].map((start) => ({ start, end: start + 1 }) as Span);
    expect(firstAt(spans, 2.5, 1)).toBe(2);
    expect(firstAt(spans, 0, 1)).toBe(0);
    expect(firstAt(spans, 99, 1)).toBe(5);
  });
  it("has round ticks", () => {
    expect(tickStep(10, 10)).toBe(1);
    expect(tickStep(12, 10)).toBe(2);
    expect(tickStep(49, 10)).toBe(5);
    expect(tickStep(0.0061, 3)).toBeCloseTo(0.005, 9);
  });
});

describe("a die", () => {
  it("gives every part its area, inside the die, none over another", () => {
    const areas = [199, 46.8, 7.38, 3.11];
    const place = { x: 1, y: 2, width: 16, height: 16 };
    const made = treemap(areas, place);
    const scale = (16 * 16) / areas.reduce((a, b) => a + b, 0);
    made.forEach((part, i) => {
      expect(part.width * part.height).toBeCloseTo((areas[i] as number) * scale, 6);
      expect(part.x).toBeGreaterThanOrEqual(1 - 1e-9);
      expect(part.y + part.height).toBeLessThanOrEqual(18 + 1e-9);
      for (const other of made.slice(0, i)) {
        const apart =
          part.x >= other.x + other.width - 1e-9 ||
          other.x >= part.x + part.width - 1e-9 ||
          part.y >= other.y + other.height - 1e-9 ||
          other.y >= part.y + part.height - 1e-9;
        expect(apart).toBe(true);
      }
    });
  });
  it("has cells for all of its cores", () => {
    for (const count of [1, 8, 132, 144]) {
      const { rows, columns } = gridOf(count, { x: 0, y: 0, width: 11, height: 16 });
      expect(rows * columns).toBeGreaterThanOrEqual(count);
      expect(rows * columns - count).toBeLessThan(Math.max(rows, columns));
    }
  });
});

describe("keys of tables", () => {
  it("sort numbers as numbers, texts with numbers by them, and nothing last", () => {
    const sorted = (keys: (number | string | null)[], descending: boolean): unknown[] =>
      [...keys].sort((a, b) => compareKeys(a, b, descending));
    expect(sorted([10, NaN, 9, null], false).slice(0, 2)).toEqual([9, 10]);
    expect(sorted([10, null, 9], true)).toEqual([10, 9, null]);
    expect(sorted(["t16", "t8"], false)).toEqual(["t8", "t16"]);
  });
});
