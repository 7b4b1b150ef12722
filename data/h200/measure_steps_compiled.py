"""Training steps of decoders (random weights) whose blocks, head and loss are compiled by torch.compile, on one GPU.

Writes step_compiled.csv into the folder named by OUT, with the columns of step.csv. bf16 weights, gradients and AdamW
states (PyTorch's fused AdamW); causal attention by PyTorch's fused kernels. Llama shapes: RMSNorm, rotary positions,
grouped keys and values, SwiGLU, no biases, head not tied; the loss in fp32.
"""
import csv
import gc
import os
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

DEVICE = "cuda"
LIMIT_S = 420
START = time.time()

# hidden, heads, key-value heads, feed-forward, layers, vocabulary, sequence
SHAPES = {
    "llama2_7b": (4096, 32, 32, 11008, 32, 32000, 4096),
    "llama3_8b": (4096, 32, 8, 14336, 32, 128256, 8192),
    "mistral_7b": (4096, 32, 8, 14336, 32, 32000, 8192),
    "llama2_13b": (5120, 40, 40, 13824, 40, 32000, 4096),
}
CASES = (("llama2_7b", 1, 4096), ("llama2_7b", 2, 4096), ("llama2_7b", 4, 4096), ("llama2_7b", 4, 1024),
         ("llama3_8b", 1, 8192), ("llama3_8b", 2, 2048), ("llama3_8b", 1, 2048), ("mistral_7b", 1, 8192),
         ("mistral_7b", 4, 2048), ("llama2_13b", 1, 2048), ("llama2_13b", 1, 4096))
COLUMNS = ("model,attention,checkpoint,microbatch,seq,parameters,dtype,optimizer,fwd_ms,bwd_ms,optim_ms,step_ms,"
           "peak_bytes,after_init_bytes").split(",")


def rotate(x, cos, sin):
    half = x.shape[-1] // 2
    turned = torch.cat((-x[..., half:], x[..., :half]), dim=-1)
    return x * cos + turned * sin


class Block(nn.Module):
    def __init__(self, hidden, heads, kv_heads, ffn):
        super().__init__()
        self.heads, self.kv_heads, self.size = heads, kv_heads, hidden // heads
        self.norm1, self.norm2 = nn.RMSNorm(hidden), nn.RMSNorm(hidden)
        self.query = nn.Linear(hidden, hidden, bias=False)
        self.key = nn.Linear(hidden, kv_heads * self.size, bias=False)
        self.value = nn.Linear(hidden, kv_heads * self.size, bias=False)
        self.out = nn.Linear(hidden, hidden, bias=False)
        self.gate = nn.Linear(hidden, ffn, bias=False)
        self.up = nn.Linear(hidden, ffn, bias=False)
        self.down = nn.Linear(ffn, hidden, bias=False)

    def forward(self, x, cos, sin):
        b, s, h = x.shape
        y = self.norm1(x)
        q = self.query(y).view(b, s, self.heads, self.size).transpose(1, 2)
        k = self.key(y).view(b, s, self.kv_heads, self.size).transpose(1, 2)
        v = self.value(y).view(b, s, self.kv_heads, self.size).transpose(1, 2)
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=self.heads != self.kv_heads)
        x = x + self.out(y.transpose(1, 2).reshape(b, s, h))
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Decoder(nn.Module):
    def __init__(self, hidden, heads, kv_heads, ffn, layers, vocabulary, sequence):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, hidden)
        self.blocks = nn.ModuleList(Block(hidden, heads, kv_heads, ffn) for _ in range(layers))
        self.norm = nn.RMSNorm(hidden)
        self.head = nn.Linear(hidden, vocabulary, bias=False)
        size = hidden // heads
        angles = torch.outer(torch.arange(sequence), 10000.0 ** (-torch.arange(0, size, 2) / size))
        angles = torch.cat((angles, angles), dim=-1)
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())

    def loss(self, x, labels):
        logits = self.head(self.norm(x)).float()
        return F.cross_entropy(logits.view(-1, logits.shape[-1]), labels.view(-1))


def measure(name, microbatch, seq):
    hidden, heads, kv_heads, ffn, layers, vocabulary, _ = SHAPES[name]
    with torch.device(DEVICE):
        model = Decoder(hidden, heads, kv_heads, ffn, layers, vocabulary, seq).to(torch.bfloat16).train()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    ids = torch.randint(0, vocabulary, (microbatch, seq), device=DEVICE)
    base = torch.cuda.memory_allocated()
    block = torch.compile(Block.forward, dynamic=False)
    loss_of = torch.compile(model.loss, dynamic=False)

    def step():
        events = [torch.cuda.Event(enable_timing=True) for _ in range(4)]
        events[0].record()
        x = model.embedding(ids)
        for each in model.blocks:
            x = block(each, x, model.cos, model.sin)
        loss = loss_of(x, ids)
        events[1].record()
        loss.backward()
        events[2].record()
        optimizer.step()
        optimizer.zero_grad()
        events[3].record()
        torch.cuda.synchronize()
        return [events[i].elapsed_time(events[i + 1]) for i in range(3)]

    for _ in range(3):
        step()
    torch.cuda.reset_peak_memory_stats()
    times = sorted((step() for _ in range(7)), key=sum)[3]
    return (name, "flash", 0, microbatch, seq, sum(p.numel() for p in model.parameters()), "bf16", "adamw_fused_bf16",
            *[f"{each:.3f}" for each in times], f"{sum(times):.3f}", torch.cuda.max_memory_allocated(), base)


def main():
    torch._dynamo.config.cache_size_limit = 64
    with open(os.path.join(os.environ["OUT"], "step_compiled.csv"), "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for case in CASES:
            if time.time() - START > LIMIT_S:
                break
            try:
                row = measure(*case)
                writer.writerow(row)
                file.flush()
                print(*row, f"{time.time() - START:.0f} s", flush=True)
            except Exception as error:  # of one case; the others go on
                print(*case, "failed:", repr(error)[:300], flush=True)
            torch._dynamo.reset()
            gc.collect()
            torch.cuda.empty_cache()


main()
