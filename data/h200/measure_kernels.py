"""Kernels and operators on one NVIDIA GPU, without the host's share of the time.

Sections, each in a process of its own and within its own time limit (name sections as arguments to run only those):
  kernels    every GPU kernel of one training step of two-layer Hugging Face models, from the profiler:
             kernels.csv, kernels_summary.csv (sums against wall time and host time by phase)
  gemm       bf16 products of more models and of vocabulary heads: gemm_more.csv (forward, data and weight gradient;
             events around single launches, cache flushed); random shapes and layouts: gemm_random_more.csv
  attention  scaled_dot_product_attention replayed from CUDA graphs: attention_more.csv; batched products and softmax of
             unfused attention: attention_eager_more.csv
  vector     memory-bound operators, forward and backward apart, replayed from CUDA graphs after a cache flush, and the
             sum of their kernels' durations from the profiler; launch and host costs: vector_more.csv
Writes CSVs into the folder named by OUT.
"""
import bisect
import csv
import gc
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

import torch
import torch.nn.functional as F

OUT = os.environ.get("OUT", ".")
dev = "cuda"
bf16, fp32 = torch.bfloat16, torch.float32
T0 = time.time()


def elapsed():
    return time.time() - T0


def say(*what):
    print(f"[{elapsed():.0f}s]", *what, flush=True)


class Table:
    """A CSV file whose rows are flushed as they come."""

    def __init__(self, name, header):
        self.file = open(f"{OUT}/{name}.csv", "w", newline="")
        self.writer = csv.writer(self.file, lineterminator="\n")
        self.writer.writerow(header.split(","))
        self.file.flush()

    def row(self, *values):
        self.writer.writerow(values)
        self.file.flush()


# ---------------------------------------------------------------------------------------------------------------------
# Models


def models():
    """name -> (class, layers -> config, true number of layers, sequence length, larger micro-batch)"""
    from transformers import (BertConfig, BertForMaskedLM, GPT2Config, GPT2LMHeadModel, GPTNeoXConfig,
                              GPTNeoXForCausalLM, LlamaConfig, LlamaForCausalLM, MistralConfig, MistralForCausalLM,
                              MixtralConfig, MixtralForCausalLM, OPTConfig, OPTForCausalLM, PhiConfig, PhiForCausalLM,
                              Qwen2Config, Qwen2ForCausalLM, T5Config, T5ForConditionalGeneration, ViTConfig,
                              ViTForImageClassification)
    return dict(
        bert_large=(BertForMaskedLM, lambda n: BertConfig(
            hidden_size=1024, num_hidden_layers=n, num_attention_heads=16, intermediate_size=4096, vocab_size=30522,
            max_position_embeddings=512), 24, 512, 8),
        gpt2_xl=(GPT2LMHeadModel, lambda n: GPT2Config(
            n_embd=1600, n_layer=n, n_head=25, n_positions=1024), 48, 1024, 4),
        opt_350m=(OPTForCausalLM, lambda n: OPTConfig(
            hidden_size=1024, word_embed_proj_dim=512, ffn_dim=4096, num_hidden_layers=n, num_attention_heads=16,
            do_layer_norm_before=False, vocab_size=50272, max_position_embeddings=2048), 24, 2048, 4),
        opt_1b3=(OPTForCausalLM, lambda n: OPTConfig(
            hidden_size=2048, word_embed_proj_dim=2048, ffn_dim=8192, num_hidden_layers=n, num_attention_heads=32,
            vocab_size=50272, max_position_embeddings=2048), 24, 2048, 4),
        llama2_7b=(LlamaForCausalLM, lambda n: LlamaConfig(
            hidden_size=4096, intermediate_size=11008, num_hidden_layers=n, num_attention_heads=32, vocab_size=32000,
            max_position_embeddings=4096), 32, 4096, 4),
        llama3_8b=(LlamaForCausalLM, lambda n: LlamaConfig(
            hidden_size=4096, intermediate_size=14336, num_hidden_layers=n, num_attention_heads=32,
            num_key_value_heads=8, vocab_size=128256, max_position_embeddings=8192, rope_theta=500000.0), 32, 8192, 2),
        mistral_7b=(MistralForCausalLM, lambda n: MistralConfig(
            hidden_size=4096, intermediate_size=14336, num_hidden_layers=n, num_attention_heads=32,
            num_key_value_heads=8, vocab_size=32000, max_position_embeddings=32768, sliding_window=None), 32, 4096, 4),
        qwen2_5_7b=(Qwen2ForCausalLM, lambda n: Qwen2Config(
            hidden_size=3584, intermediate_size=18944, num_hidden_layers=n, num_attention_heads=28,
            num_key_value_heads=4, vocab_size=152064, max_position_embeddings=32768, rope_theta=1000000.0,
            tie_word_embeddings=False), 28, 4096, 4),
        qwen2_5_1b5=(Qwen2ForCausalLM, lambda n: Qwen2Config(
            hidden_size=1536, intermediate_size=8960, num_hidden_layers=n, num_attention_heads=12,
            num_key_value_heads=2, vocab_size=151936, max_position_embeddings=32768, rope_theta=1000000.0,
            tie_word_embeddings=True), 28, 4096, 4),
        phi_2=(PhiForCausalLM, lambda n: PhiConfig(
            hidden_size=2560, intermediate_size=10240, num_hidden_layers=n, num_attention_heads=32, vocab_size=51200,
            max_position_embeddings=2048, partial_rotary_factor=0.4, resid_pdrop=0.1, embd_pdrop=0.0), 32, 2048, 4),
        pythia_1b4=(GPTNeoXForCausalLM, lambda n: GPTNeoXConfig(
            hidden_size=2048, intermediate_size=8192, num_hidden_layers=n, num_attention_heads=16, vocab_size=50304,
            max_position_embeddings=2048, rotary_pct=0.25, use_parallel_residual=True), 24, 2048, 4),
        t5_large=(T5ForConditionalGeneration, lambda n: T5Config(
            d_model=1024, d_kv=64, d_ff=4096, num_layers=n, num_decoder_layers=n, num_heads=16, vocab_size=32128,
            decoder_start_token_id=0), 24, 512, 4),
        vit_large=(ViTForImageClassification, lambda n: ViTConfig(
            hidden_size=1024, num_hidden_layers=n, num_attention_heads=16, intermediate_size=4096, image_size=224,
            patch_size=16, num_labels=1000), 24, 197, 16),
        mixtral_small=(MixtralForCausalLM, lambda n: MixtralConfig(
            hidden_size=4096, intermediate_size=3584, num_hidden_layers=n, num_attention_heads=32,
            num_key_value_heads=8, vocab_size=32000, max_position_embeddings=4096, num_local_experts=8,
            num_experts_per_tok=2, sliding_window=None), 32, 4096, 4),
        bert_base=(BertForMaskedLM, lambda n: BertConfig(
            hidden_size=768, num_hidden_layers=n, num_attention_heads=12, intermediate_size=3072, vocab_size=30522,
            max_position_embeddings=512), 12, 512, 16),
    )


def make_model(cls, config, attention):
    config._attn_implementation = attention
    config.use_cache = False
    with torch.device(dev):
        return cls(config).to(bf16).train()


def make_batch(name, config, microbatch, seq):
    if name.startswith("vit"):
        return dict(pixel_values=torch.randn(microbatch, 3, 224, 224, device=dev, dtype=bf16),
                    labels=torch.randint(0, 1000, (microbatch,), device=dev))
    ids = torch.randint(0, config.vocab_size, (microbatch, seq), device=dev)
    return dict(input_ids=ids, labels=ids)


# ---------------------------------------------------------------------------------------------------------------------
# Profiler


def read_trace(path, prefix):
    """Kernels of a profiler trace in order of time: (label of the annotation "prefixLABEL" that the launch fell into,
    innermost operator, outermost operator, kernel name, start us, duration us), operators as trace events or None."""
    with open(path) as f:
        events = json.load(f)["traceEvents"]
    launches, ops, by_id, ranges, kernels = {}, {}, {}, [], []
    for e in events:
        if e.get("ph") != "X":
            continue
        cat, args = e.get("cat", ""), e.get("args", {})
        e["ts"], e["end"] = float(e["ts"]), float(e["ts"]) + float(e.get("dur", 0))
        if cat in ("cuda_runtime", "cuda_driver"):
            c = args.get("correlation")
            if c is not None and c not in launches:
                launches[c] = e
        elif cat == "cpu_op":
            ops.setdefault(e.get("tid"), []).append(e)
            by_id[args.get("External id")] = e
        elif cat == "user_annotation" and e["name"].startswith(prefix):
            ranges.append((e["ts"], e["end"], e["name"][len(prefix):]))
        elif cat in ("kernel", "gpu_memcpy", "gpu_memset"):
            kernels.append(e)
    ranges.sort()
    range_starts = [r[0] for r in ranges]
    op_starts = {}
    for tid, mine in ops.items():
        mine.sort(key=lambda e: (e["ts"], -e["end"]))
        op_starts[tid] = [e["ts"] for e in mine]
        stack = []
        for e in mine:
            while stack and stack[-1]["end"] < e["end"]:
                stack.pop()
            e["parent"] = stack[-1] if stack else None
            stack.append(e)

    def enclosing(tid, ts):
        at = bisect.bisect_right(op_starts.get(tid, []), ts) - 1
        e = ops[tid][at] if at >= 0 else None
        while e is not None and e["end"] < ts:
            e = e["parent"]
        return e

    out = []
    for k in sorted(kernels, key=lambda e: e["ts"]):
        args = k.get("args", {})
        launch = launches.get(args.get("correlation"))
        inner = enclosing(launch.get("tid"), launch["ts"]) if launch else None
        if inner is None and args.get("External id"):
            inner = by_id.get(args["External id"])
        outer = inner
        while outer is not None and outer.get("parent") is not None:
            outer = outer["parent"]
        label, when = None, launch["ts"] if launch else inner["ts"] if inner else None
        if when is not None:
            i = bisect.bisect_right(range_starts, when) - 1
            if i >= 0 and when <= ranges[i][1]:
                label = ranges[i][2]
        out.append((label, inner, outer, k["name"], k["ts"], float(k["dur"])))
    return out


def profiled(body, prefix, shapes=False):
    """Runs body under the profiler and reads its trace."""
    from torch.profiler import ProfilerActivity, profile
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=shapes) as p:
        body()
        torch.cuda.synchronize()
    fd, path = tempfile.mkstemp(suffix=".json")
    os.close(fd)
    try:
        p.export_chrome_trace(path)
        return read_trace(path, prefix)
    finally:
        os.unlink(path)


def dims_text(dims):
    def one(d):
        if isinstance(d, list) and d and isinstance(d[0], list):
            return "[" + " ".join(one(x) for x in d[:3]) + ("..." + str(len(d)) if len(d) > 3 else "") + "]"
        return "x".join(str(x) for x in d) if isinstance(d, list) else str(d)
    return ";".join(one(d) for d in dims or [])[:200]


def types_text(types):
    short = {"c10::BFloat16": "bf16", "float": "fp32", "long int": "i64", "long": "i64", "int": "i32", "bool": "b",
             "unsigned char": "u8", "double": "fp64", "Scalar": "s", "ScalarList": "sl", "TensorList": "tl",
             "GenericList": "gl", "c10::Half": "fp16"}
    return ";".join(short.get(t, str(t)) for t in types or [])[:80].replace(",", " ")


def clean(name, length=120):
    return name.replace(", ", " ").replace(",", " ")[:length]


# ---------------------------------------------------------------------------------------------------------------------
# Section kernels


def kernels(limit):
    table = Table("kernels", "model,attention,microbatch,seq,phase,cpu_op,input_shapes,kernel,start_us,duration_us,"
                             "input_types,outer_op")
    summary = Table("kernels_summary", "model,attention,microbatch,seq,phase,kernels,kernel_ms,wall_ms,host_ms,"
                                       "host_us_per_launch,profiled_span_ms")
    phases = ("forward", "backward", "optimizer")
    known = models()
    del known["qwen2_5_1b5"], known["bert_base"]
    todo = [(n, a, large) for large in (False, True) for a in ("sdpa", "eager") for n in known]
    for name, attention, large in todo:
        cls, make, _, seq, larger = known[name]
        mb = larger if large else 1
        if attention == "eager" and seq >= 8192 and large:
            continue
        if elapsed() > limit:
            say("kernels: out of time at", name, attention, mb)
            return
        model = opt = batch = state = None
        try:
            gc.collect()
            torch.cuda.empty_cache()
            config = make(2)
            model = make_model(cls, config, attention)
            opt = torch.optim.AdamW(model.parameters(), fused=True)
            batch = make_batch(name, config, mb, seq)
            state = {}

            def forward():
                state["loss"] = model(**batch).loss

            def backward():
                state["loss"].backward()

            def optimizer():
                opt.step()
                opt.zero_grad()

            parts = (forward, backward, optimizer)
            walls, hosts = [], []
            for it in range(6):
                e = [torch.cuda.Event(enable_timing=True) for _ in range(4)]
                e[0].record()
                for i, part in enumerate(parts):
                    part()
                    e[i + 1].record()
                torch.cuda.synchronize()
                if it >= 2:
                    walls.append([e[i].elapsed_time(e[i + 1]) for i in range(3)])
            for it in range(3):
                h = []
                for part in parts:
                    t = time.perf_counter()
                    part()
                    h.append((time.perf_counter() - t) * 1e3)
                    torch.cuda.synchronize()
                hosts.append(h)

            def body():
                for phase, part in zip(phases, parts):
                    with torch.profiler.record_function("phase:" + phase):
                        part()
                    torch.cuda.synchronize()

            trace = profiled(body, "phase:", True)
            first = trace[0][4] if trace else 0
            for label, inner, outer, kernel, ts, dur in trace:
                args = inner.get("args", {}) if inner else {}
                table.writer.writerow((
                    name, attention, mb, seq, label or "", clean(inner["name"], 80) if inner else "",
                    dims_text(args.get("Input Dims")), clean(kernel), f"{ts - first:.3f}", f"{dur:.3f}",
                    types_text(args.get("Input type")), clean(outer["name"], 80) if outer else ""))
            table.file.flush()
            for i, phase in enumerate(phases):
                mine = [(t[4], t[5]) for t in trace if t[0] == phase]
                wall = statistics.median(w[i] for w in walls)
                host = statistics.median(h[i] for h in hosts)
                span = (max(t + d for t, d in mine) - min(t for t, _ in mine)) / 1e3 if mine else 0
                summary.row(name, attention, mb, seq, phase, len(mine), f"{sum(d for _, d in mine) / 1e3:.4f}",
                            f"{wall:.4f}", f"{host:.4f}", f"{host * 1e3 / max(1, len(mine)):.2f}", f"{span:.4f}")
            say(name, attention, mb, len(trace), "kernels", f"{sum(t[5] for t in trace) / 1e3:.2f} ms of",
                f"{sum(statistics.median(w[i] for w in walls) for i in range(3)):.2f}")
        except Exception as ex:
            say(name, attention, mb, "failed", repr(ex)[:300])
        finally:
            model = opt = batch = state = None
            forward = backward = optimizer = parts = body = None


# ---------------------------------------------------------------------------------------------------------------------
# Section gemm


def bench(fn, rep=30):
    from triton.testing import do_bench
    return do_bench(fn, warmup=8, rep=rep, return_mode="median")


SHAPES = dict(  # hidden, heads, kv_heads, ffn, seq, gated, tensor-parallel degrees
    mgpt_8b3=(3072, 24, 24, 12288, 1024, False, (1, 8)), llama2_70b=(8192, 64, 8, 28672, 4096, True, (1, 8)),
    qwen2_5_7b=(3584, 28, 4, 18944, 4096, True, (1,)), mistral_7b=(4096, 32, 8, 14336, 4096, True, (1,)),
    phi_2=(2560, 32, 32, 10240, 2048, False, (1,)), pythia_1b4=(2048, 16, 16, 8192, 2048, False, (1,)))
HEADS = (("bert_large", 30522, 1024), ("gpt2_xl", 50257, 1600), ("opt_350m", 50272, 512), ("opt_1b3", 50272, 2048),
         ("llama2_7b", 32000, 4096), ("llama3_8b", 128256, 4096), ("qwen2_5_7b", 152064, 3584))


def gemm_shapes():
    for name, (h, a, kv, f, seq, gated, tps) in SHAPES.items():
        for mb in (1, 4):
            for tp in tps:
                m = mb * seq
                ops = dict(qkv=(m, (h + 2 * (h // a) * kv) // tp, h), proj=(m, h, h // tp),
                           fc1=(m, (2 * f if gated else f) // tp, h), fc2=(m, h, f // tp))
                if gated and tp == 1:
                    ops.update(k=(m, h // a * kv, h), gate=(m, f, h))
                for op, (M, N, K) in ops.items():
                    yield name, op, mb, tp, M, N, K
    for tokens in (4096, 512, 2048, 1024, 8192):
        for name, vocabulary, h in HEADS:
            yield name, "head", 1, 1, tokens, vocabulary, h


def gemm(limit):
    table = Table("gemm_more", "model,op,microbatch,tp,m,n,k,fwd_ms,dgrad_ms,wgrad_ms")
    for name, op, mb, tp, M, N, K in gemm_shapes():
        if elapsed() > limit - 40:
            say("gemm_more: out of time at", name, op, mb, tp, M)
            break
        if M * N * K > 2e13:
            continue
        try:
            x = torch.randn(M, K, device=dev, dtype=bf16)
            w = torch.randn(N, K, device=dev, dtype=bf16)
            dy = torch.randn(M, N, device=dev, dtype=bf16)
            rep = 120 if M * N * K > 1e12 else 30
            f, d, g = (bench(fn, rep) for fn in (lambda: x @ w.t(), lambda: dy @ w, lambda: dy.t() @ x))
            table.row(name, op, mb, tp, M, N, K, f"{f:.6f}", f"{d:.6f}", f"{g:.6f}")
        except Exception as ex:
            say("gemm_more", name, op, M, N, K, repr(ex)[:200])
        x = w = dy = None
    say("gemm_more done")
    table = Table("gemm_random_more", "m,n,k,layout,aligned,ms")
    r = random.Random(11)
    for i in range(120):
        if elapsed() > limit:
            say("gemm_random_more: out of time at", i)
            break
        M, N, K = (int(2 ** (r.random() * 8 + 6)) for _ in range(3))
        if i % 2 == 0:
            M, N, K = (v // 8 * 8 for v in (M, N, K))
        elif i % 4 == 1:  # one dimension alone is not a multiple of 8
            odd = r.randrange(3)
            M, N, K = (v | 1 if j == odd else v // 8 * 8 for j, v in enumerate((M, N, K)))
        aligned = int(all(v % 8 == 0 for v in (M, N, K)))
        layout = ("nn", "nt", "tn")[r.randrange(3)]
        try:
            a = torch.randn(*((K, M) if layout == "tn" else (M, K)), device=dev, dtype=bf16)
            b = torch.randn(*((N, K) if layout == "nt" else (K, N)), device=dev, dtype=bf16)
            a = a.t() if layout == "tn" else a
            b = b.t() if layout == "nt" else b
            table.row(M, N, K, layout, aligned, f"{bench(lambda: a @ b):.6f}")
        except Exception as ex:
            say("gemm_random_more", M, N, K, layout, repr(ex)[:200])
        a = b = None


# ---------------------------------------------------------------------------------------------------------------------
# Replays from CUDA graphs

FLUSH = None
STREAM = None


def set_up_replay():
    """One side stream for everything, so that a backward pass captured apart from its forward pass runs on it too."""
    global FLUSH, STREAM
    STREAM = torch.cuda.Stream()
    torch.cuda.set_stream(STREAM)
    FLUSH = torch.empty(256 << 20, dtype=torch.uint8, device=dev)
    x = torch.randn(64, 64, device=dev, dtype=bf16)
    x @ x
    torch.cuda.synchronize()


def event_ms(fn, n=30):
    """Median time of fn between events, cache flushed before; fewer repeats for slow ones."""
    for _ in range(3):
        fn()
    times = []
    while len(times) < n:
        FLUSH.zero_()
        e0, e1 = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        e0.record()
        fn()
        e1.record()
        torch.cuda.synchronize()
        times.append(e0.elapsed_time(e1))
        if len(times) >= 7 and sum(times) > 150:
            break
    return statistics.median(times)


def capture(fn):
    for _ in range(3):
        fn()
    torch.cuda.synchronize()
    g = torch.cuda.CUDAGraph()
    with torch.cuda.graph(g, stream=STREAM):
        fn()
    return g


def replay_ms(fn):
    """(ms, how): replayed from a graph, or launched eagerly where capture fails."""
    try:
        g = capture(fn)
        t = event_ms(g.replay)
        del g
        return t, "graph"
    except Exception as ex:
        say("no graph:", repr(ex)[:150])
        torch.cuda.synchronize()
        return event_ms(fn), "eager"


def kernel_times(cases, reps=3):
    """label -> (sum of kernel durations in ms, number of kernels, kernel names) of eager launches, means over reps;
    cases are (label, fn)."""
    def body():
        for label, fn in cases:
            for _ in range(reps):
                FLUSH.zero_()
                with torch.profiler.record_function(f"case:{label}"):
                    fn()
    for _, fn in cases:
        fn()
    got = {}
    for label, _, _, name, _, dur in profiled(body, "case:"):
        if label is not None:
            got.setdefault(label, []).append((name, dur))
    return {label: (sum(d for _, d in v) / reps / 1e3, len(v) / reps, list(dict.fromkeys(n for n, _ in v)))
            for label, v in got.items()}


def short(names):
    """Kernel names without templates and namespaces."""
    out = []
    for n in names:
        n = n.replace("void ", "").replace("(anonymous namespace)::", "")
        if "elementwise" in n or "reduce_kernel" in n or "FillFunctor" in n:
            out.append(clean(n, 60))
        else:
            out.append(clean(n.split("<")[0].split("(")[0].split("::")[-1] or n, 70))
    return "|".join(out)


# ---------------------------------------------------------------------------------------------------------------------
# Section attention

ATTENTION = [  # batch, heads, kv_heads, seq, head_dim, causal
    (1, 32, 32, 4096, 128, 1), (1, 32, 32, 4096, 128, 0), (1, 32, 8, 4096, 128, 1), (1, 32, 8, 8192, 128, 1),
    (4, 32, 8, 4096, 128, 1), (1, 64, 8, 4096, 128, 1), (1, 28, 4, 4096, 128, 1), (1, 12, 2, 4096, 128, 1),
    (1, 16, 16, 512, 64, 0), (8, 16, 16, 512, 64, 0), (1, 12, 12, 512, 64, 0), (1, 16, 16, 197, 64, 0),
    (16, 16, 16, 197, 64, 0), (1, 25, 25, 1024, 64, 1), (4, 25, 25, 1024, 64, 1), (1, 16, 16, 2048, 64, 1),
    (4, 32, 32, 2048, 64, 1), (4, 32, 32, 2048, 64, 0), (1, 32, 32, 8192, 64, 1), (1, 32, 32, 2048, 80, 1),
    (4, 32, 32, 2048, 80, 1), (1, 20, 20, 1024, 96, 1), (4, 20, 20, 1024, 96, 1), (2, 32, 32, 4096, 96, 1),
    (1, 24, 24, 1024, 128, 1), (4, 24, 24, 1024, 128, 1), (1, 16, 16, 2048, 128, 1), (4, 16, 16, 2048, 128, 1),
    (1, 96, 96, 2048, 128, 1), (1, 8, 8, 16384, 128, 1), (1, 8, 1, 8192, 256, 1), (2, 16, 16, 2048, 256, 1),
    (1, 16, 16, 4096, 256, 0), (16, 8, 8, 1024, 128, 0), (32, 12, 12, 128, 64, 0), (1, 4, 4, 4096, 128, 1)]
UNFUSED = [("mgpt_8b3", 24, 1024, 128), ("llama2_70b", 64, 4096, 128), ("qwen2_5_7b", 28, 4096, 128),
           ("phi_2", 32, 2048, 80), ("opt_1b3", 32, 2048, 64), ("pythia_1b4", 16, 2048, 128), ("t5_large", 16, 512, 64),
           ("vit_large", 16, 197, 64), ("bert_base_mb16", 192, 512, 64), ("gpt2_xl_mb4", 100, 1024, 64),
           ("vit_large_mb16", 256, 197, 64), ("llama3_8b", 32, 8192, 128), ("small", 8, 256, 64)]


def attention(limit):
    set_up_replay()

    def build(b, h, kv, s, d, causal):
        def leaf(heads):  # as models make it: (batch, seq, heads, dim) seen as (batch, heads, seq, dim)
            t = torch.randn(b, s, heads, d, device=dev, dtype=bf16).transpose(1, 2)
            return t.detach().requires_grad_()
        q, k, v = leaf(h), leaf(kv), leaf(kv)

        def forward():
            return F.scaled_dot_product_attention(q, k, v, is_causal=bool(causal), enable_gqa=h != kv)
        o = forward()
        go = torch.randn(b, s, h, d, device=dev, dtype=bf16).transpose(1, 2)

        def backward():
            return torch.autograd.grad(o, (q, k, v), go, retain_graph=True)
        return forward, backward

    header = ("batch,heads,kv_heads,seq,head_dim,causal,fwd_ms,bwd_ms,fwd_kernels,bwd_kernels,fwd_kernel_ms,"
              "bwd_kernel_ms,how")
    done = {}

    def write():
        table = Table("attention_more", header)
        for shape, (f, b, fk, bk, ft, bt, how) in done.items():
            table.row(*shape, f, b, fk, bk, ft, bt, how)
        table.file.close()

    for shape in ATTENTION:
        if elapsed() > limit * 0.5:
            say("attention_more: out of time at", shape)
            break
        try:
            forward, backward = build(*shape)
            f, how = replay_ms(forward)
            b, how2 = replay_ms(backward)
            done[shape] = (f"{f:.6f}", f"{b:.6f}", "", "", "", "", how if how == how2 else how + "/" + how2)
        except Exception as ex:
            say("attention_more", shape, repr(ex)[:200])
        forward = backward = None
        write()
    say("attention_more timed", len(done))

    table = Table("attention_eager_more", "model,batch_heads,seq,head_dim,qk_ms,av_ms,softmax_ms,softmax_fp32_ms")
    for name, bh, s, d in UNFUSED:
        if elapsed() > limit * 0.75:
            say("attention_eager_more: out of time at", name)
            break
        try:
            q = torch.randn(bh, s, d, device=dev, dtype=bf16)
            k = torch.randn(bh, s, d, device=dev, dtype=bf16)
            p = torch.randn(bh, s, s, device=dev, dtype=bf16)
            times = [replay_ms(fn)[0] for fn in (
                lambda: torch.bmm(q, k.transpose(1, 2)), lambda: torch.bmm(p, k), lambda: torch.softmax(p, -1),
                lambda: torch.softmax(p, -1, dtype=fp32))]
            table.row(name, bh, s, d, *[f"{t:.6f}" for t in times])
        except Exception as ex:
            say("attention_eager_more", name, repr(ex)[:200])
        q = k = p = None
    say("attention_eager_more done")

    for shape in list(done):
        if elapsed() > limit:
            say("attention_more: names out of time at", shape)
            break
        try:
            forward, backward = build(*shape)
            got = kernel_times([("f", forward), ("b", backward)])
            f, b = got.get("f", (0, 0, [])), got.get("b", (0, 0, []))
            done[shape] = done[shape][:2] + (short(f[2]), short(b[2]), f"{f[0]:.6f}", f"{b[0]:.6f}", done[shape][6])
        except Exception as ex:
            say("attention_more names", shape, repr(ex)[:200])
        forward = backward = None
    write()


# ---------------------------------------------------------------------------------------------------------------------
# Section vector

SIZES = [(512, 1024), (1024, 2048), (4096, 1600), (4096, 4096), (8192, 8192), (16384, 12288)]
SQUARES = [(1024, 512), (4096, 512), (8192, 1024), (16384, 1024), (32768, 2048), (49152, 4096)]  # heads * seq, seq
LOGITS = [(128, 30522), (512, 30522), (1024, 50257), (2048, 50272), (4096, 32000), (1536, 128256)]
TOKENS = [(512, 1024), (2048, 1024), (2048, 4096), (4096, 4096), (16384, 4096), (32768, 4096)]
ROUTED = [(512, 8), (2048, 8), (8192, 8), (32768, 8), (262144, 8), (1048576, 8)]
PARAMETERS = [(12, 43690), (12, 174762), (12, 699050), (12, 2097152), (12, 8388608), (12, 16777216)]  # tensors, each


def vector_cases():
    """(operator, sizes, build(rows, cols) -> (fn that returns its outputs, inputs as tensors or bytes))"""
    aten = torch.ops.aten
    cases = []

    def case(name, sizes=SIZES):
        return lambda build: cases.append((name, sizes, build))

    def t(*shape, dtype=bf16):
        return torch.randn(*shape, device=dev, dtype=dtype)

    def unary(name, fn, sizes=SIZES, dtype=bf16):
        def build(r, c):
            x = t(r, c, dtype=dtype)
            return (lambda: fn(x)), [x]
        cases.append((name, sizes, build))

    def binary(name, fn, sizes=SIZES, dtype=bf16):
        def build(r, c):
            x, y = t(r, c, dtype=dtype), t(r, c, dtype=dtype)
            return (lambda: fn(x, y)), [x, y]
        cases.append((name, sizes, build))

    @case("layernorm")
    def _(r, c):
        x, w, b = t(r, c), t(c), t(c)
        return (lambda: aten.native_layer_norm(x, [c], w, b, 1e-5)), [x, w, b]

    @case("layernorm_bwd")
    def _(r, c):
        x, w, b, g = t(r, c), t(c), t(c), t(r, c)
        _, mean, rstd = aten.native_layer_norm(x, [c], w, b, 1e-5)
        every = [True, True, True]
        return (lambda: aten.native_layer_norm_backward(g, x, [c], mean, rstd, w, b, every)), [x, w, b, g, mean, rstd]

    @case("rmsnorm")
    def _(r, c):
        x, w = t(r, c).requires_grad_(), t(c).requires_grad_()
        return (lambda: F.rms_norm(x, (c,), w, 1e-5)), [x, w]

    @case("rmsnorm_bwd")
    def _(r, c):
        x, w, g = t(r, c).requires_grad_(), t(c).requires_grad_(), t(r, c)
        with torch.enable_grad():
            o = F.rms_norm(x, (c,), w, 1e-5)
        return (lambda: torch.autograd.grad(o, (x, w), g, retain_graph=True)), [x, w, g]

    unary("gelu", lambda x: aten.gelu(x))
    binary("gelu_bwd", lambda g, x: aten.gelu_backward(g, x))
    unary("gelu_tanh", lambda x: aten.gelu(x, approximate="tanh"))
    binary("gelu_tanh_bwd", lambda g, x: aten.gelu_backward(g, x, approximate="tanh"))
    unary("relu", lambda x: aten.relu(x))
    binary("relu_bwd", lambda g, x: aten.threshold_backward(g, x, 0))
    unary("silu", lambda x: aten.silu(x))
    binary("silu_bwd", lambda g, x: aten.silu_backward(g, x))
    unary("tanh", lambda x: aten.tanh(x))
    binary("tanh_bwd", lambda g, x: aten.tanh_backward(g, x))
    binary("add", lambda x, y: x + y)
    binary("mul", lambda x, y: x * y)
    binary("add_fp32", lambda x, y: x + y, dtype=fp32)
    unary("dropout", lambda x: aten.native_dropout(x, 0.1, True))

    @case("dropout_bwd")
    def _(r, c):
        g, mask = t(r, c), torch.rand(r, c, device=dev) > 0.1
        return (lambda: aten.native_dropout_backward(g, mask, 1 / 0.9)), [g, mask]

    softmax_sizes = SIZES + [(8192, 512), (32768, 2048), (49152, 4096)]
    unary("softmax", lambda x: aten._softmax(x, -1, False), softmax_sizes)
    binary("softmax_bwd", lambda g, y: aten._softmax_backward_data(g, y, -1, bf16), softmax_sizes)
    unary("softmax_fp32", lambda x: aten._softmax(x, -1, False), SQUARES, fp32)
    binary("softmax_fp32_bwd", lambda g, y: aten._softmax_backward_data(g, y, -1, fp32), SQUARES, fp32)
    unary("log_softmax_fp32", lambda x: aten._log_softmax(x, -1, False), LOGITS, fp32)
    binary("log_softmax_fp32_bwd", lambda g, y: aten._log_softmax_backward_data(g, y, -1, fp32), LOGITS, fp32)

    @case("nll_loss_fp32", LOGITS)
    def _(r, c):
        x, y = t(r, c, dtype=fp32), torch.randint(0, c, (r,), device=dev)
        return (lambda: aten.nll_loss_forward(x, y, None, 1, -100)), [4 * r, y]

    @case("nll_loss_fp32_bwd", LOGITS)
    def _(r, c):
        x, y = t(r, c, dtype=fp32), torch.randint(0, c, (r,), device=dev)
        loss, total = aten.nll_loss_forward(x, y, None, 1, -100)
        g = torch.ones_like(loss)
        return (lambda: aten.nll_loss_backward(g, x, y, None, 1, -100, total)), [y]

    @case("cross_entropy_fp32", LOGITS)
    def _(r, c):
        x, y = t(r, c, dtype=fp32).requires_grad_(), torch.randint(0, c, (r,), device=dev)
        return (lambda: F.cross_entropy(x, y, ignore_index=-100)), [x, y]

    @case("cross_entropy_fp32_bwd", LOGITS)
    def _(r, c):
        x, y = t(r, c, dtype=fp32).requires_grad_(), torch.randint(0, c, (r,), device=dev)
        with torch.enable_grad():
            o = F.cross_entropy(x, y, ignore_index=-100)
        g = torch.ones_like(o)
        return (lambda: torch.autograd.grad(o, x, g, retain_graph=True)), [4 * r * c, y]

    unary("cast_bf16_fp32", lambda x: x.float())
    unary("cast_fp32_bf16", lambda x: x.to(bf16), dtype=fp32)
    unary("copy", lambda x: x.clone())
    unary("pow2_fp32", lambda x: x.pow(2), dtype=fp32)
    unary("mean_fp32", lambda x: x.mean(-1, keepdim=True), dtype=fp32)

    @case("mul_column_fp32")
    def _(r, c):
        x, s = t(r, c, dtype=fp32), t(r, 1, dtype=fp32)
        return (lambda: x * s), [x, s]

    @case("mul_row_vector")
    def _(r, c):
        x, w = t(r, c), t(c)
        return (lambda: w * x), [x, w]

    @case("add_row_vector")
    def _(r, c):
        x, w = t(r, c), t(c)
        return (lambda: x + w), [x, w]

    @case("mul_sum_bwd_fp32")  # gradient of a column factor: sum over the row of a product
    def _(r, c):
        x, g = t(r, c, dtype=fp32), t(r, c, dtype=fp32)
        return (lambda: (x * g).sum(-1, keepdim=True)), [x, g]

    unary("neg", lambda x: -x)
    unary("scale", lambda x: x * 0.125)
    unary("scale_fp32", lambda x: x * 0.125, dtype=fp32)

    @case("neg_half")  # of heads of 128 (64): the first half of every head
    def _(r, c):
        d = 128 if c % 128 == 0 else 64
        x = t(r, c // d, d)
        return (lambda: -x[..., : d // 2]), [x.numel()]

    @case("cat_halves")
    def _(r, c):
        d = 128 if c % 128 == 0 else 64
        x, y = t(r, c // d, d // 2), t(r, c // d, d)
        return (lambda: torch.cat((x, y[..., : d // 2]), -1)), [x, x.numel() * 2]

    @case("transpose_copy")
    def _(r, c):
        d = 128 if c % 128 == 0 else 64
        x = t(1, r, c // d, d)
        return (lambda: x.transpose(1, 2).contiguous()), [x]

    @case("matrix_transpose_copy")
    def _(r, c):
        x = t(r, c)
        return (lambda: x.t().contiguous()), [x]

    @case("slice_copy")
    def _(r, c):
        x = t(r, c)
        return (lambda: x[:, : c // 2].contiguous()), [x.numel()]

    @case("slice_bwd")
    def _(r, c):
        g = t(r, c // 2)
        return (lambda: aten.slice_backward(g, [r, c], 1, 0, c // 2, 1)), [g]

    @case("repeat_kv")  # 8 key-value heads of 128 copied to 32 heads
    def _(r, c):
        s = max(1, r * c // 4096)
        x = t(1, 8, s, 128)
        return (lambda: x[:, :, None].expand(1, 8, 4, s, 128).reshape(1, 32, s, 128)), [x]

    unary("sum_rows", lambda x: x.sum(0))
    unary("sum_rows_fp32", lambda x: x.sum(0), dtype=fp32)
    unary("sum_columns", lambda x: x.sum(-1, keepdim=True))
    unary("sum_all", lambda x: x.sum())

    @case("masked_add", SQUARES)
    def _(r, c):
        x, m = t(1, r // c, c, c), t(1, 1, c, c)
        return (lambda: x + m), [x, m]

    @case("masked_fill", SQUARES)
    def _(r, c):
        x, m = t(1, r // c, c, c), torch.rand(1, 1, c, c, device=dev) > 0.5
        return (lambda: x.masked_fill(m, -1e4)), [x, m]

    @case("zero_fill")
    def _(r, c):
        x = t(r, c)
        return (lambda: x.zero_()), []

    unary("topk_2_of_8_fp32", lambda x: torch.topk(x, 2, -1), ROUTED, fp32)

    for vocabulary in (32000, 128256):
        @case(f"embedding_{vocabulary}", TOKENS)
        def _(r, c, v=vocabulary):
            w, i = t(v, c), torch.randint(0, v, (r,), device=dev)
            return (lambda: F.embedding(i, w)), [i, 2 * r * c]

    @case("index_add", TOKENS)
    def _(r, c):
        x, i, y = t(r, c), torch.randint(0, r, (r,), device=dev), t(r, c)
        return (lambda: x.index_add_(0, i, y)), [x, i, y]

    for dtype, label in ((bf16, "bf16"), (fp32, "fp32")):
        @case(f"adamw_fused_{label}", PARAMETERS)
        def _(r, c, dtype=dtype):
            ps = [t(c, dtype=dtype).requires_grad_() for _ in range(r)]
            for p in ps:
                p.grad = torch.randn_like(p)
            opt = torch.optim.AdamW(ps, fused=True, capturable=True)
            state = ps * 3

            def step():
                opt.step()
                return state  # parameters and both moments are written
            return step, ps * 4

    for vocabulary in (32000, 128256):
        @case(f"embedding_bwd_{vocabulary}", TOKENS)
        def _(r, c, v=vocabulary):
            g, i = t(r, c), torch.randint(0, v, (r,), device=dev)
            return (lambda: aten.embedding_dense_backward(g, i, v, -1, False)), [g, i]
    return cases


def size_of(x):
    if isinstance(x, torch.Tensor):
        return x.numel() * x.element_size()
    if isinstance(x, (tuple, list)):
        return sum(size_of(y) for y in x)
    return x or 0


def host_costs(table):
    def row(op, ms, n=200):
        table.row(op, n, 0, 0, 0, f"{ms:.6f}", "", "", "host" if op.startswith("host") else "graph")
    x = torch.zeros(1024, device=dev, dtype=bf16)
    tiny, how = replay_ms(lambda: x.add_(1))
    table.row("floor", 1, 1024, 0, 0, f"{tiny:.6f}", "", "", how)
    e = []
    for _ in range(30):
        FLUSH.zero_()
        e0, e1 = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        e0.record()
        e1.record()
        torch.cuda.synchronize()
        e.append(e0.elapsed_time(e1))
    table.row("floor_events", 0, 0, 0, 0, f"{statistics.median(e):.6f}", "", "", "eager")
    table.row("floor_eager", 1, 1024, 0, 0, f"{event_ms(lambda: x.add_(1)):.6f}", "", "", "eager")

    def chain():
        for _ in range(200):
            x.add_(1)
    for _ in range(2):
        row("launch", replay_ms(chain)[0] / 200)
    for size in (1 << 18, 1 << 20):
        y = torch.zeros(size, device=dev, dtype=bf16)

        def longer():
            for _ in range(200):
                y.add_(1)
        row(f"launch_{size}_in_cache", replay_ms(longer)[0] / 200)

    def host(fn, sync, n=15):
        times = []
        for _ in range(n):
            torch.cuda.synchronize()
            t = time.perf_counter()
            fn()
            if sync:
                torch.cuda.synchronize()
            times.append((time.perf_counter() - t) * 1e3 / 200)
        return statistics.median(times)

    row("host_launch", host(chain, True))
    x = torch.randn(8, 64, device=dev, dtype=bf16)
    linear = torch.nn.Linear(64, 64, device=dev, dtype=bf16)
    norm = torch.nn.LayerNorm(64, device=dev, dtype=bf16)
    ops = dict(add=lambda v: v + 1.0, mul_tensor=lambda v: v * x, linear=linear, layer_norm=norm, gelu=F.gelu,
               softmax=lambda v: F.softmax(v, -1), view=lambda v: v.view(8, 64),
               to_float_and_back=lambda v: v.float().to(bf16))
    for name, op in ops.items():
        def run_forward(grad, keep=None):
            v = x.detach().requires_grad_(grad)
            with torch.set_grad_enabled(grad):
                for _ in range(200):
                    v = op(v)
            if keep is not None:
                keep.append(v)
        row("host_" + name, host(lambda: run_forward(False), False))
        row("host_" + name + "_grad", host(lambda: run_forward(True), False))
        times = []
        for _ in range(9):
            keep = []
            run_forward(True, keep)
            loss = keep[0].sum()
            torch.cuda.synchronize()
            t = time.perf_counter()
            loss.backward()
            times.append((time.perf_counter() - t) * 1e3 / 200)
            linear.zero_grad()
            norm.zero_grad()
        row("host_" + name + "_bwd", statistics.median(times))


def vector(limit):
    set_up_replay()
    header = "op,rows,cols,in_bytes,out_bytes,ms,kernels,kernel_ms,how"
    table = Table("vector_more", header)
    try:
        host_costs(table)
    except Exception as ex:
        say("host costs", repr(ex)[:300])
    say("host costs done")
    cases = vector_cases()
    for i in range(max(len(s) for _, s, _ in cases)):  # the i-th size of every operator, so that all get some
        for op, sizes, build in cases:
            if i >= len(sizes):
                continue
            if elapsed() > limit * 0.65:
                say("vector_more: out of time at", op, i)
                break
            r, c = sizes[i]
            try:
                fn, inputs = build(r, c)
                outputs = size_of(fn())
                ms, how = replay_ms(fn)
                table.row(op, r, c, size_of(inputs), outputs, f"{ms:.6f}", "", "", how)
            except Exception as ex:
                say("vector_more", op, r, c, repr(ex)[:200])
            fn = inputs = None
        say("vector_more size", i, "done")
    table.file.close()
    say("vector_more timed")

    # The sums of kernel durations, from the profiler; the file is written again with them.
    found = {}
    for op, sizes, build in cases:
        if elapsed() > limit:
            say("vector_more: profiles out of time at", op)
            break
        try:
            got = kernel_times([(f"{r}x{c}", build(r, c)[0]) for r, c in sizes], 4)
            for r, c in sizes:
                if f"{r}x{c}" in got:
                    found[op, str(r), str(c)] = got[f"{r}x{c}"]
        except Exception as ex:
            say("vector_more profile", op, repr(ex)[:200])
    with open(f"{OUT}/vector_more.csv", newline="") as f:
        rows = list(csv.reader(f))[1:]
    table = Table("vector_more", header)
    for row in rows:
        got = found.get(tuple(row[:3]))
        if got:
            row[6:8] = f"{got[1]:g}", f"{got[0]:.6f}"
        table.writer.writerow(row)
    table.file.close()
    say("vector_more profiled", len(found))


SECTIONS = dict(kernels=(kernels, 130), gemm=(gemm, 140), attention=(attention, 62), vector=(vector, 150))


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
            p = subprocess.run([sys.executable, __file__, name], timeout=SECTIONS[name][1] + 25)
            say("section", name, "ended", p.returncode)
        except subprocess.TimeoutExpired:
            say("section", name, "stopped at its limit")


if __name__ == "__main__":
    main()
