torchrun --nnodes 2 --nproc_per_node=8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 \
  --num-attention-heads 32 --group-query-attention --num-query-groups 8 --swiglu --seq-length 4096 --vocab-size 32000 \
  --window-size '4095,0' --position-embedding-type rope --rotary-percent 0.5 --bf16 --tensor-model-parallel-size 4 \
  --pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage 4 --micro-batch-size 1 \
  --global-batch-size 64 --recompute-granularity full --recompute-method uniform --recompute-num-layers 1
