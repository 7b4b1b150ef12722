"""Whole training steps of more Hugging Face models, and more whole layers replayed from CUDA graphs, on one NVIDIA GPU.

Sections, each in a process of its own and within its own time limit (name sections as arguments to run only those):
  steps   step_more.csv: training steps (random weights; bf16 weights, gradients and fused AdamW states; loss from
          labels), forward, backward and optimiser ms between events, peak and initial bytes
  layers  layer_graph_more.csv: whole transformer layers replayed from CUDA graphs after a cache flush, eager kernels
          and those of torch.compile, forward alone and forward + backward, bytes that autograd saved
Writes CSVs into the folder named by OUT. The models' configurations are those of measure_kernels.py beside this file.
"""
import gc
import math
import statistics
import subprocess
import sys

import torch
import torch.nn.functional as F

from measure_kernels import Table, bf16, dev, elapsed, make_batch, make_model, models, say


def step_plan():
    """(model, attention, checkpoint, micro-batch), the ones that matter most first."""
    small = ("bert_base", "vit_large", "opt_1b3", "pythia_1b4", "t5_large", "qwen2_5_1b5", "phi_2")
    large = ("mistral_7b", "qwen2_5_7b")
    plan = [(n, "sdpa", 0, mb) for n in small for mb in (1, 4)]
    plan += [(n, "sdpa", ck, 1) for n in large for ck in (0, 1)]
    plan += [(n, "eager", 0, mb) for n in small for mb in (1, 4)]
    plan += [(n, "sdpa", 1, mb) for n in small for mb in (1, 4)]
    plan += [(n, "eager", 1, 1) for n in large]
    plan += [(n, "sdpa", 1, 4) for n in large]
    plan += [(n, "sdpa", 0, 16) for n in small[:5]]
    plan += [(n, "eager", 1, 4) for n in small]
    plan += [(n, "sdpa", 0, 2) for n in large]
    plan += [("vit_large", "sdpa", 0, 64), ("bert_base", "sdpa", 0, 64)]
    plan += [(n, "eager", 0, 16) for n in ("bert_base", "vit_large", "t5_large")]
    plan += [(n, "sdpa", 1, 16) for n in small[:5]]
    plan += [(n, "eager", 1, 1) for n in small]
    plan += [(n, "eager", 1, 4) for n in large]
    return plan


def steps(limit):
    table = Table("step_more", "model,attention,checkpoint,microbatch,seq,parameters,dtype,optimizer,fwd_ms,bwd_ms,"
                               "optim_ms,step_ms,peak_bytes,after_init_bytes")
    known = models()
    for name, attention, ck, mb in step_plan():
        if elapsed() > limit:
            say("step_more: out of time at", name, attention, ck, mb)
            return
        cls, make, layers, seq, _ = known[name]
        m = opt = loss = batch = None
        try:
            gc.collect()
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
            config = make(layers)
            m = make_model(cls, config, attention)
            if ck:
                m.gradient_checkpointing_enable(gradient_checkpointing_kwargs=dict(use_reentrant=False))
            opt = torch.optim.AdamW(m.parameters(), fused=True)
            batch = make_batch(name, config, mb, seq)
            base = torch.cuda.memory_allocated()
            ts, n = [], 6
            while len(ts) < n:
                e = [torch.cuda.Event(enable_timing=True) for _ in range(4)]
                e[0].record()
                loss = m(**batch).loss
                e[1].record()
                loss.backward()
                e[2].record()
                opt.step()
                opt.zero_grad()
                e[3].record()
                torch.cuda.synchronize()
                ts.append([e[i].elapsed_time(e[i + 1]) for i in range(3)])
                if len(ts) == 2 and sum(ts[1]) > 1200:
                    n = 4
            ts = sorted(ts[2:], key=sum)[len(ts[2:]) // 2]
            peak = torch.cuda.max_memory_allocated()
            table.row(name, attention, ck, mb, seq, sum(p.numel() for p in m.parameters()), "bf16", "adamw_fused_bf16",
                      *[f"{t:.3f}" for t in ts], f"{sum(ts):.3f}", peak, base)
            say(name, attention, ck, mb, [f"{t:.1f}" for t in ts], f"{peak / 2**30:.1f} GiB")
        except torch.cuda.OutOfMemoryError:
            say(name, attention, ck, mb, "OOM")
        except Exception as ex:
            say(name, attention, ck, mb, "failed", repr(ex)[:200])
        finally:
            m = opt = loss = batch = None


class Layer(torch.nn.Module):
    def __init__(s, h, a, kv, f, gated, flash):
        super().__init__()
        def linear(i, o):
            return torch.nn.Linear(i, o, bias=not gated)
        s.h, s.a, s.kv, s.d, s.gated, s.flash = h, a, kv, h // a, gated, flash
        s.qkv, s.proj = linear(h, h + 2 * s.d * kv), linear(h, h)
        s.fc1, s.fc2 = linear(h, 2 * f if gated else f), linear(f, h)
        norm = torch.nn.RMSNorm if gated else torch.nn.LayerNorm
        s.n1, s.n2 = norm(h), norm(h)

    def forward(s, x):
        b, t, h = x.shape
        q, k, v = s.qkv(s.n1(x)).split([s.h, s.d * s.kv, s.d * s.kv], -1)
        q = q.view(b, t, s.a, s.d).transpose(1, 2)
        k = k.view(b, t, s.kv, s.d).transpose(1, 2)
        v = v.view(b, t, s.kv, s.d).transpose(1, 2)
        if s.kv != s.a:
            k = k.repeat_interleave(s.a // s.kv, 1)
            v = v.repeat_interleave(s.a // s.kv, 1)
        if s.flash:
            o = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            w = (q @ k.transpose(-1, -2)) / math.sqrt(s.d)
            o = torch.softmax(w, -1) @ v
        x = x + s.proj(o.transpose(1, 2).reshape(b, t, h))
        y = s.fc1(s.n2(x))
        if s.gated:
            g, u = y.chunk(2, -1)
            y = F.silu(g) * u
        else:
            y = F.gelu(y)
        return x + s.fc2(y)


LAYERS = dict(  # hidden, heads, kv_heads, ffn, seq, gated
    mgpt_8b3=(3072, 24, 24, 12288, 1024, False), llama2_70b=(8192, 64, 8, 28672, 4096, True),
    llama3_8b=(4096, 32, 8, 14336, 8192, True))


def layers(limit):
    table = Table("layer_graph_more", "model,hidden,heads,kv_heads,ffn,seq,gated,microbatch,attention,execution,fwd_ms,"
                                      "fwd_bwd_ms,saved_activation_bytes")
    cache = torch.empty(256 << 20, dtype=torch.uint8, device=dev)

    def capture(fn):
        s = torch.cuda.Stream()
        s.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(s):
            for _ in range(3):
                fn()
        torch.cuda.current_stream().wait_stream(s)
        g = torch.cuda.CUDAGraph()
        with torch.cuda.graph(g):
            fn()
        return g

    def replay_ms(g, n=30):
        for _ in range(2):
            g.replay()
        ts = []
        while len(ts) < n and not (len(ts) >= 9 and sum(ts) > 1500):
            cache.zero_()
            e0, e1 = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            e0.record()
            g.replay()
            e1.record()
            torch.cuda.synchronize()
            ts.append(e0.elapsed_time(e1))
        return statistics.median(ts)

    warm = Layer(128, 2, 2, 256, False, True).to(dev, bf16)  # so that workspaces do not count as saved bytes
    warm(torch.randn(1, 64, 128, device=dev, dtype=bf16)).sum().backward()
    warm = None
    plan = [(n, mb, fl, "eager") for mb in (1, 2, 4) for fl in (True, False) for n in LAYERS]
    plan += [(n, mb, True, "compiled") for mb in (1, 4) for n in ("mgpt_8b3", "llama2_70b")]
    for name, mb, flash, kind in plan:
        h, a, kv, f, seq, gated = LAYERS[name]
        if elapsed() > limit:
            say("layer_graph_more: out of time at", name, mb, flash, kind)
            return
        if mb * a * seq * seq * 2 > 12e9 and not flash:
            continue
        m = c = x = go = ps = o = g = None
        try:
            gc.collect()
            torch.cuda.empty_cache()
            torch._dynamo.reset()
            m = Layer(h, a, kv, f, gated, flash).to(dev, bf16)
            c = torch.compile(m) if kind == "compiled" else m
            x = torch.randn(mb, seq, h, device=dev, dtype=bf16, requires_grad=True)
            go = torch.randn_like(x)
            ps = [x] + list(m.parameters())

            def forward():
                with torch.no_grad():
                    c(x)

            def both():
                torch.autograd.grad(c(x), ps, go)

            g = capture(forward)
            gf = replay_ms(g)
            g = None
            g = capture(both)
            gb = replay_ms(g)
            g = None
            m0 = torch.cuda.memory_allocated()
            o = c(x)
            saved = torch.cuda.memory_allocated() - m0
            table.row(name, h, a, kv, f, seq, int(gated), mb, "flash" if flash else "eager", kind, f"{gf:.5f}",
                      f"{gb:.5f}", saved)
            say(name, mb, "flash" if flash else "eager", kind, f"{gf:.4f} {gb:.4f} {saved}")
        except Exception as ex:
            say(name, mb, flash, kind, repr(ex)[:200])
        finally:
            m = c = x = go = ps = o = g = None


SECTIONS = dict(steps=(steps, 325), layers=(layers, 185))


def main():
    names = sys.argv[1:] or list(SECTIONS)
    if len(names) == 1:
        torch.manual_seed(0)
        fn, limit = SECTIONS[names[0]]
        fn(limit)
        return
    for name in names:
        say("section", name)
        try:
            p = subprocess.run([sys.executable, __file__, name], timeout=SECTIONS[name][1] + 20)
            say("section", name, "ended", p.returncode)
        except subprocess.TimeoutExpired:
            say("section", name, "stopped at its limit")


if __name__ == "__main__":
    main()
