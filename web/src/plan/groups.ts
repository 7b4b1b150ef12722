// Which devices form which group: tensor, data and pipeline ranks of a device, and the levels of
// the network between the members of a group.

import type { Level, Plan } from "../data";

export type AxisName = "tensor" | "data" | "pipeline";

export interface Group {
  axis: AxisName;
  size: number;
  stride: number;
  /** Indices of the levels that its members talk over; from the innermost out. */
  levels: number[];
}

const AXES: Record<string, AxisName> = { t: "tensor", d: "data", p: "pipeline" };

export function sizesOf(plan: Plan): Record<AxisName, number> {
  return { tensor: plan.tensor ?? 1, data: plan.data ?? 1, pipeline: plan.pipeline ?? plan.stages.length };
}

/** The outermost level at which two devices are in different parts. */
function levelBetween(a: number, b: number, levels: Level[]): number {
  let found = 0;
  levels.forEach((level, i) => {
    if (Math.floor(a / level.devices_per_member) !== Math.floor(b / level.devices_per_member)) {
      found = i;
    }
  });
  return found;
}

/** From the innermost out. */
export function groupsOf(plan: Plan, levels: Level[]): Group[] {
  const sizes = sizesOf(plan);
  const groups: Group[] = [];
  let stride = 1;
  for (const letter of plan.order ?? "tdp") {
    const axis = AXES[letter];
    if (axis === undefined) {
      continue;
    }
    const size = sizes[axis];
    const used = new Set<number>();
    for (let i = 1; i < size; i++) {
      used.add(levelBetween((i - 1) * stride, i * stride, levels));
    }
    groups.push({ axis, size, stride, levels: [...used].sort((a, b) => a - b) });
    stride *= size;
  }
  return groups;
}

/** The device's place in each group. */
export function ranksOf(device: number, groups: Group[]): Record<AxisName, number> {
  const ranks = { tensor: 0, data: 0, pipeline: 0 };
  for (const group of groups) {
    ranks[group.axis] = Math.floor(device / group.stride) % group.size;
  }
  return ranks;
}

/** All devices of the group that a device is in, itself included. */
export function membersOf(device: number, group: Group): number[] {
  const rank = Math.floor(device / group.stride) % group.size;
  const first = device - rank * group.stride;
  return Array.from({ length: group.size }, (_, i) => first + i * group.stride);
}
