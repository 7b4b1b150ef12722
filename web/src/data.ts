// The document inside the page, as `phaze report` writes it (docs/formats.md, "Report").

export interface Memory {
  weights_bytes: number;
  gradients_bytes: number;
  optimizer_bytes: number;
  activations_bytes: number;
  transient_bytes: number;
  other_bytes: number;
  total_bytes?: number;
}

export interface Stage {
  layers?: { name: string; count: number }[];
  recompute?: string;
  forward_s: number;
  backward_s: number;
  network_s?: number;
  recompute_s?: number;
  in_flight?: number;
  memory?: Partial<Memory>;
  exposed_s?: number;
  optimizer_s?: number;
}

export interface Operator {
  id: string;
  kind: string;
  unit: "tensor" | "vector" | "both" | "network" | "none";
  start_s: number;
  end_s: number;
  wide: boolean;
  tensor_core?: number;
  vector_core?: number;
  alone_s: number;
  bound: string;
  utilisation: number;
  flops: number;
  vector_flops: number;
  hbm_bytes: number;
  global_bytes: number;
  network_bytes: number;
  energy_j: number;
}

export interface LayerPass {
  name: string;
  pass: string;
  repeat: number;
  counted_s: number;
  time_s: number;
  makespan_s: number;
  lower_bound_s: number;
  proved: boolean;
  serial: boolean;
  busy_cores: number;
  floor_s: number;
  floor: string;
  cores: { tensor: number; vector: number };
  operators: Operator[];
}

export interface ChipDescription {
  name: string;
  title?: string;
  node_nm?: number;
  technology?: string;
  clock_hz: number;
  peak_flops: number;
  area_mm2: number;
  tdp_w: number;
  build_cost_usd: number;
  embodied_carbon_kg: number;
  hbm_capacity_bytes: number;
  hbm_bandwidth_bytes_per_s: number;
  area_breakdown_mm2: Record<string, number>;
  dies: number;
  description: {
    tensor_cores: { count: number; fabricated: number; rows: number; columns: number; local_buffer_bytes: number };
    vector_cores: { count: number; fabricated: number; lanes: number; local_buffer_bytes: number };
    global_buffer: { size_bytes: number; bandwidth_bytes_per_s: number };
    hbm: { generation: string; stacks: number };
    links?: { count: number; bandwidth_bytes_per_s: number };
  };
}

export interface Level {
  name: string;
  kind: string;
  members: number | null;
  devices_per_member: number;
  bandwidth_bytes_per_s: number;
  latency_s: number;
}

export interface Details {
  chip: ChipDescription | null;
  cluster: { name: string; title?: string; levels: Level[] };
  peak_flops: number;
  peak_vector_flops: number;
  hbm_bytes_per_s: number;
  recompute: string;
  layers: LayerPass[];
}

export interface Sensitivity {
  resource: string;
  with: string;
  factor: number;
  iteration_s: number | null;
  elasticity: number | null;
}

export interface Plan {
  model?: string;
  chip?: string;
  cluster?: string;
  assumptions?: string;
  sequence?: number;
  iteration_s: number;
  iteration_range_s?: [number, number] | null;
  range_share?: number | null;
  range_basis?: string;
  throughput_sequences_per_s?: number;
  tokens_per_s?: number;
  mfu?: number;
  hfu?: number;
  utilisation?: { tensor: number; vector: number; hbm: number; link: number };
  status?: string;
  bound_s?: number;
  tensor?: number;
  sequence_parallel?: boolean;
  pipeline?: number;
  data?: number;
  microbatch?: number;
  interleave?: number;
  recompute?: string;
  zero?: number;
  schedule?: string;
  order?: string;
  devices?: number;
  global_batch?: number;
  microbatches: number;
  peak_memory_bytes?: number;
  capacity_bytes: number;
  fits?: boolean;
  breakdown?: Record<string, number>;
  transfer_s: number;
  stages: Stage[];
  notes?: string[];
  layer_schedules?: { proved: boolean; largest_gap: number; plan_gap: number };
  alternatives?: (Plan & { loss: number })[];
  training?: Record<string, unknown> & {
    tokens: number;
    days: number;
    energy_kwh: number;
    cost_usd: number;
    carbon_kg: number;
  };
  why?: { binds: string[]; words: string; with: Sensitivity[] };
  details?: Details;
}

/** Passes or transfers of one stage, a list for each figure. */
export interface Passes {
  kind: string;
  chunk: number[];
  microbatch: number[];
  start_s: number[];
  end_s: number[];
}

export interface SimulatedStage {
  busy_s: number;
  transfers_s: number;
  bubble_s: number;
  reduction_s: number;
  reduction_start_s: number;
  reduction_end_s: number;
  optimizer_s: number;
  peak_memory_bytes: number;
  passes: Passes;
  sent: Passes;
}

export interface Simulation {
  iteration_s: number;
  closed_form_s: number;
  difference: number;
  bubble: number;
  busy_s: number;
  transfers_s: number;
  reduction_s: number;
  optimizer_s: number;
  bubble_s: number;
  events: number;
  interleave: number;
  shown_until_s: number;
  tied_start_s: number;
  tied_end_s: number;
  optimizer_start_s: number;
  stages: SimulatedStage[];
}

export interface Counts {
  total: number;
  evaluated: number;
  excluded: number;
  excluded_by_bound: number;
  excluded_by_dominance: number;
}

export interface Result {
  chip: string;
  value: number;
  bound: number;
  status: string;
  chips: Counts;
  area_mm2: number;
  tdp_w: number;
  build_cost_usd: number;
  embodied_carbon_kg: number;
  hbm_bytes: number;
  hbm_bytes_per_s: number;
  description?: ChipDescription;
  plans: Record<string, Plan>;
  over_reference: Record<string, number | null>;
  rivals: { chip: string; value: number; reason: string }[];
  steps: { field: string; from: string; to: string; value?: number; outside?: string }[];
}

export interface Axis {
  field: string;
  letter: string;
  unit: string;
  codes: string[];
  values: number[];
}

export interface Search {
  space: string;
  assumptions: string;
  objective: string;
  combination?: string;
  models: string[];
  devices: number;
  cluster: string;
  global_batch: number;
  status: string;
  is_complete: boolean;
  bound: number | null;
  chips: Counts | null;
  best: Result | null;
  own?: Record<string, Result>;
  reference: {
    chip: string;
    throughput_sequences_per_s: Record<string, number | null>;
    description?: ChipDescription | null;
  };
  axes?: Axis[];
  pareto: {
    chip: string;
    objectives: Record<string, number>;
    throughput_sequences_per_s: number;
    area_mm2: number;
    tdp_w: number;
  }[];
  notes: string[];
  search_s: number;
  progress?: { stage: string; elapsed_s: number; settled: number; best: number; bound: number }[];
}

export interface ChipColumns {
  chip: number[];
  id: string[];
  state: ("evaluated" | "excluded" | "dominated")[];
  value: (number | null)[];
  bound: (number | null)[];
  witness: (number | null)[];
  metrics: Record<string, (number | null)[]>;
}

export interface Study {
  state: "finished" | "running" | "stopped";
  question: Record<string, string>;
  counts: {
    total: number;
    settled: number;
    evaluated: number;
    excluded: number;
    dominated: number;
    without_plan: number;
  };
  best: number | null;
  bound: number | null;
  gap: number | null;
  excluded_ranges: { first_chip: number; last_chip: number; bound: number | null }[];
  chips: ChipColumns;
}

export interface Report {
  schema: number;
  kind: "search" | "plan";
  program: string;
  source: string;
  search?: Search | null;
  plan?: Plan;
  study?: Study;
  simulations: Record<string, Simulation | null>;
}
