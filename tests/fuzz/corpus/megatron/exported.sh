# megatron-gpt2-xl on 32 h100, cluster dgx-h100: 1.25 s an iteration
# Written by phaze export. To add: data, tokenizer, learning rate, and what a plan does not know of
# the model (norm epsilon, rotary base, initialisation).
# Before Blackwell, tensor parallelism needs CUDA_DEVICE_MAX_CONNECTIONS=1.
# left out: recomputation, which differs from stage to stage
# left out: idle devices: start it on 24 of the 32 that there are
# torchrun "${TORCHRUN_ARGS[@]}" pretrain_gpt.py "${MEGATRON_ARGS[@]}"
TORCHRUN_ARGS=(
  --nnodes 3
  --nproc-per-node 8
)
MEGATRON_ARGS=(
  --tensor-model-parallel-size 2
  --pipeline-model-parallel-size 3
  --sequence-parallel
  --use-tp-pp-dp-mapping
  --micro-batch-size 2
  --global-batch-size 64
  --pipeline-model-parallel-layout 'Et*14|t*14|t*12L'
  --use-distributed-optimizer
  --overlap-grad-reduce
  --overlap-param-gather
  --bf16
  --optimizer adam
  --attention-backend flash
  --num-layers 40
  --hidden-size 1024
  --ffn-hidden-size 4096
  --seq-length 1024
  --num-attention-heads 16
  --position-embedding-type learned_absolute
  --max-position-embeddings 1024
  --normalization LayerNorm
  --vocab-size 51200
  --make-vocab-size-divisible-by 1
  --attention-dropout 0.1
  --hidden-dropout 0.1
)
