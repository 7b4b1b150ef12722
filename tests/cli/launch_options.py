"""Names that the programs document, written down from their sources: docs/formats.md says which versions."""

# Megatron-LM, megatron/training/arguments.py.
MEGATRON = {
    "--tensor-model-parallel-size", "--pipeline-model-parallel-size", "--sequence-parallel", "--use-tp-pp-dp-mapping",
    "--micro-batch-size", "--global-batch-size", "--num-virtual-stages-per-pipeline-rank",
    "--pipeline-model-parallel-layout", "--recompute-granularity", "--recompute-method", "--recompute-num-layers",
    "--use-distributed-optimizer", "--use-megatron-fsdp", "--data-parallel-sharding-strategy", "--ckpt-format",
    "--overlap-grad-reduce", "--overlap-param-gather", "--bf16", "--optimizer", "--attention-backend",
    "--num-layers", "--hidden-size", "--ffn-hidden-size", "--seq-length", "--num-attention-heads", "--kv-channels",
    "--group-query-attention", "--num-query-groups", "--window-size", "--position-embedding-type",
    "--max-position-embeddings", "--rotary-percent", "--normalization", "--swiglu", "--quick-geglu", "--num-experts",
    "--moe-router-topk", "--disable-bias-linear", "--add-qkv-bias", "--vocab-size", "--make-vocab-size-divisible-by",
    "--untie-embeddings-and-output-weights", "--attention-dropout", "--hidden-dropout",
}
TORCHRUN = {"--nnodes", "--nproc-per-node"}

# DeepSpeed, docs/_pages/config-json.md; "_comment" is ours, and DeepSpeed does not ask for it.
DEEPSPEED = {
    "_comment": None,
    "train_batch_size": None,
    "train_micro_batch_size_per_gpu": None,
    "gradient_accumulation_steps": None,
    "zero_optimization": {"stage", "overlap_comm"},
    "bf16": {"enabled"},
    "data_types": {"grad_accum_dtype"},
}

# torchtitan, torchtitan/config/job_config.py.
TORCHTITAN = {
    "training": {"seq_len", "local_batch_size", "global_batch_size", "mixed_precision_param",
                 "mixed_precision_reduce"},
    "parallelism": {"tensor_parallel_degree", "data_parallel_replicate_degree", "data_parallel_shard_degree",
                    "fsdp_reshard_after_forward", "pipeline_parallel_degree", "pipeline_parallel_schedule",
                    "pipeline_parallel_microbatch_size", "module_fqns_per_model_part"},
    "activation_checkpoint": {"mode"},
}
