"""Measures operators on one GPU with PyTorch, for `phaze calibrate --operators` and `phaze estimate --table`.

    python3 python/measure_operators.py operators.csv [--quick] [--type bf16]

Writes a table of measured operators as docs/formats.md describes it: times of operators that follow one another, with
their operands in the device's memory. Each operator is captured several times into a CUDA graph, every time on operands
of its own, so that neither the host's launches nor what a cache has left from the run before count; the graph is replayed
and the median taken. Needs PyTorch with CUDA (or ROCm) and one idle device; a full run takes half a minute on an H200.
"""
import argparse
import csv
import statistics
import sys
import time

import torch
import torch.nn.functional as F

aten = torch.ops.aten
TYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}
# hidden, heads, K and V heads, feed-forward width, tokens of a sequence, gated
MODELS = {
    "bert-large": (1024, 16, 16, 4096, 512, False),
    "gpt2-2.5b": (1920, 20, 20, 7680, 1024, False),
    "gpt2-8.3b": (3072, 24, 24, 12288, 1024, False),
    "gpt3-175b": (12288, 96, 96, 49152, 2048, False),
    "llama2-7b": (4096, 32, 32, 11008, 4096, True),
    "llama3-70b": (8192, 64, 8, 28672, 4096, True),
}
MOST_BYTES = 4 << 30  # of all operands of one measurement
COPIES = 16           # of an operator in a graph, at most


class Bench:
    """Times functions of operands that `make` creates; operands differ from one copy to the next."""

    def __init__(self, dtype):
        self.dtype = dtype
        self.cache_bytes = getattr(torch.cuda.get_device_properties(0), "L2_cache_size", 50 << 20)

    def tensor(self, *shape):
        return torch.randn(*shape, device="cuda", dtype=torch.float32).to(self.dtype)

    def microseconds(self, make, run, bytes_each):
        copies = max(2, min(COPIES, MOST_BYTES // max(1, bytes_each)))
        # Enough of them that the first operand has left the caches when the last was used.
        copies = max(copies, min(256, 3 * self.cache_bytes // max(1, bytes_each)))
        operands = [make() for _ in range(copies)]
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(2):
                run(*operands[0])
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            kept = [run(*each) for each in operands]
        graph.replay()
        torch.cuda.synchronize()
        times = []
        for _ in range(7):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            graph.replay()
            end.record()
            torch.cuda.synchronize()
            times.append(begin.elapsed_time(end) * 1e3 / copies)
        del kept, graph, operands
        torch.cuda.empty_cache()
        return statistics.median(times)


def products(bench, quick):
    """Of models, with their two gradients, whole and as one of eight tensor-parallel devices has them."""
    seen = set()
    for hidden, heads, kv_heads, ffn, sequence, gated in MODELS.values():
        qkv = hidden + 2 * (hidden // heads) * kv_heads
        for batch in (1,) if quick else (1, 4):
            for width in (1, 8):
                if hidden // width < 256:
                    continue
                tokens = batch * sequence
                inner = 2 * ffn if gated else ffn
                for n, k in ((qkv // width, hidden), (hidden, hidden // width), (inner // width, hidden), (hidden, ffn // width)):
                    # What runs: x W', the data gradient dy W, the weight gradient dy' x.
                    for kind, (m_, n_, k_) in (("forward", (tokens, n, k)), ("data", (tokens, k, n)), ("weight", (n, k, tokens))):
                        if (m_, n_, k_) not in seen:
                            seen.add((m_, n_, k_))
                            yield kind, m_, n_, k_


def measure_products(bench, quick):
    for kind, m, n, k in products(bench, quick):
        if kind == "forward":
            make = lambda: (bench.tensor(m, k), bench.tensor(n, k))
            run = lambda a, b: a @ b.t()
        elif kind == "data":
            make = lambda: (bench.tensor(m, k), bench.tensor(k, n))
            run = lambda a, b: a @ b
        else:
            make = lambda: (bench.tensor(k, m), bench.tensor(k, n))
            run = lambda a, b: a.t() @ b
        size = torch.finfo(bench.dtype).bits // 8 * (m * k + k * n + m * n)
        yield {"kind": "product", "pass": "forward" if kind == "forward" else "backward", "shape": f"{m}x{n}x{k}",
               "time_us": bench.microseconds(make, run, size)}


def measure_attention(bench, quick):
    for hidden, heads, kv_heads, _, sequence, _ in MODELS.values():
        head_dim = hidden // heads
        for batch in (1,) if quick else (1, 4):
            shape = (batch, heads, sequence, head_dim)
            size = torch.finfo(bench.dtype).bits // 8 * 4 * batch * heads * sequence * head_dim

            def make():
                q, k, v = (bench.tensor(*shape).requires_grad_() for _ in range(3))
                return q, k, v

            def forward(q, k, v):
                with torch.no_grad():
                    return F.scaled_dot_product_attention(q, k, v, is_causal=True)

            # The backward pass runs on the stream of its forward pass, so both are captured, and the difference counts.
            def make_both():
                q, k, v = make()
                return q, k, v, bench.tensor(*shape)

            def both(q, k, v, gradient):
                out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
                return torch.autograd.grad(out, (q, k, v), gradient)

            text = "x".join(str(extent) for extent in shape)
            forward_us = bench.microseconds(make, forward, size)
            both_us = bench.microseconds(make_both, both, 2 * size)
            for direction, time_us in (("forward", forward_us), ("backward", both_us - forward_us)):
                yield {"kind": "attention", "pass": direction, "shape": text, "causal": 1, "time_us": time_us}


def vector_operators(columns):
    """kind, pass, operands of rows x columns that are read, function of these and of a weight and a bias."""
    return [
        ("layer_norm", "forward", 1, lambda x, w, b: F.layer_norm(x, (columns,), w, b)),
        ("rms_norm", "forward", 1, lambda x, w, b: F.rms_norm(x, (columns,), w)),
        ("softmax", "forward", 1, lambda x, w, b: torch.softmax(x, -1)),
        ("softmax", "backward", 2, lambda x, y, w, b: aten._softmax_backward_data(x, y, -1, x.dtype)),
        ("gelu", "forward", 1, lambda x, w, b: F.gelu(x)),
        ("gelu", "backward", 2, lambda x, y, w, b: aten.gelu_backward(x, y)),
        ("gelu_tanh", "forward", 1, lambda x, w, b: F.gelu(x, approximate="tanh")),
        ("relu", "forward", 1, lambda x, w, b: torch.relu(x)),
        ("silu", "forward", 1, lambda x, w, b: F.silu(x)),
        ("silu", "backward", 2, lambda x, y, w, b: aten.silu_backward(x, y)),
        ("tanh", "forward", 1, lambda x, w, b: torch.tanh(x)),
        ("add", "forward", 2, lambda x, y, w, b: x + y),
        ("multiply", "forward", 2, lambda x, y, w, b: x * y),
    ]


def measure_vector(bench, quick):
    sizes = [(2048, 1024), (4096, 4096), (8192, 12288)] if quick else [
        (512, 1024), (2048, 1024), (4096, 1600), (4096, 4096), (8192, 4096), (2048, 12288), (8192, 12288), (16384, 8192)]
    for rows, columns in sizes:
        for kind, direction, operands, run in vector_operators(columns):
            make = lambda: [bench.tensor(rows, columns) for _ in range(operands)] + [bench.tensor(columns), bench.tensor(columns)]
            size = torch.finfo(bench.dtype).bits // 8 * rows * columns * (operands + 1)
            with torch.no_grad():
                yield {"kind": kind, "pass": direction, "shape": f"{rows}x{columns}", "time_us": bench.microseconds(make, run, size)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", help="file to write")
    parser.add_argument("--quick", action="store_true", help="fewer shapes")
    parser.add_argument("--type", choices=sorted(TYPES), default="bf16", help="of elements (default: bf16)")
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("measure_operators.py: no GPU that PyTorch can use")
    torch.manual_seed(0)
    bench = Bench(TYPES[arguments.type])
    begin = time.time()
    with open(arguments.output, "w", newline="", encoding="utf-8") as file:
        file.write(f"# {torch.cuda.get_device_name(0)}, PyTorch {torch.__version__}\n")
        writer = csv.DictWriter(file, ["kind", "pass", "type", "shape", "causal", "time_us"])
        writer.writeheader()
        for measure in (measure_products, measure_attention, measure_vector):
            count = 0
            for row in measure(bench, arguments.quick):
                row["type"] = arguments.type
                row["time_us"] = f"{row['time_us']:.3f}"
                writer.writerow(row)
                file.flush()
                count += 1
            print(f"{measure.__name__}: {count} rows, {time.time() - begin:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
