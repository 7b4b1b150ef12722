"""A space of a few small chips and a question small enough to be searched in a moment."""
SPACE = """title: A few chips
base: phaze-reference
technology: phaze22
axes:
  tensor_cores.count: [4, 16]
  vector_cores.count: [8, 32]
  tensor_cores.columns: [64, 256]
  tensor_cores.rows: [64, 256]
  global_buffer.size: [8 MiB, 32 MiB]
ties:
  vector_cores.lanes: tensor_cores.columns
budgets: {area: 278.8 mm2}
training:
  microbatches: [1, 2]
  recompute: [none, full]
  tensor_widths: [1, 2]
  hbm_capacity: [4 GiB, 16 GiB]
"""
SMALL = ["--sequence", "128", "--devices", "8", "--global-batch", "32"]
