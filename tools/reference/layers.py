#!/usr/bin/env python3
"""Records what Hugging Face layers run and save for backward; writes tests/reference/layers.json.

Small bfloat16 models of the installed transformers library run one training step. Three parts of
the step are recorded apart: the embedding (before the first layer), one middle layer (for T5 one
encoder and one decoder layer that is not the first) and the head (after the last layer: final
norm, output matrix, loss). T5 has a fourth part, "middle": the encoder's final norm and the decoder's
embedding. Run once per library version; a run replaces its own version's cases:

    python layers.py tests/reference/layers.json

Devices:
  cpu        the step really runs on the CPU, backward too
  cuda-fake  the forward pass runs on fake CUDA tensors: the operators, data types and saved
             tensors are those that PyTorch chooses for CUDA, nothing is computed and there is no
             backward. Without a GPU PyTorch would choose the unfused "math" attention, so
             scaled_dot_product_attention is replaced by the flash operator (no mask) or the
             memory-efficient operator (mask), which a GPU would choose.

The file is {"operators": [...], "cases": [...]}. A case has "parts"; a part has
  saved     storages saved for backward, one entry each (several saved tensors may share one):
              tensor  type and shape of the first tensor saved from it
              bytes   size of the whole storage
              by      autograd nodes and attributes that hold it
              is      "own" (made in this part), "output" (made here and the part's output),
                      "input" (the part's hidden states or token ids), "shared:NAME" (another
                      argument of the layer, such as the mask or cos/sin), "earlier" (made by an
                      earlier part). Parameters are left out.
  own_bytes sum of the bytes of "own" and "output" entries
  input     whether the part's input is saved
  forward   operators run, in order; views left out. Each is an index into "operators", whose
            entries are [name, inputs, outputs]; tensors as type[shape], plain numbers as numbers
  backward  matrix products of the backward pass (cpu only), likewise
"""
import contextlib
import copy
import inspect
import json
import os
import re
import sys
from unittest import mock

import torch
import transformers
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

transformers.logging.set_verbosity(transformers.logging.CRITICAL)
torch.set_num_threads(1)
VERSION = transformers.__version__
MAJOR = int(VERSION.split(".")[0])
aten = torch.ops.aten

# Lengths are multiples of 16, or the memory-efficient attention of a GPU would first pad its mask
BATCH, SEQUENCE, DECODER_SEQUENCE, VOCAB = 2, 80, 48, 1000
TYPES = {torch.bfloat16: "bf16", torch.float32: "f32", torch.float64: "f64", torch.int64: "i64", torch.int32: "i32",
         torch.bool: "b8", torch.uint64: "u64", torch.uint8: "u8", torch.float16: "f16"}
PRODUCT = re.compile(r"aten\.(mm|addmm|bmm|baddbmm|_scaled_dot_product|_grouped_mm|convolution|mkldnn|linear)")

# --- cases ------------------------------------------------------------------------------------------------------

DECODER = dict(hidden_size=192, intermediate_size=520, num_hidden_layers=3, num_attention_heads=6, vocab_size=VOCAB,
               max_position_embeddings=256)
GROUPED = dict(DECODER, num_key_value_heads=2)
# family: architecture, settings, dropout settings
BASE = {
    "bert": ("BertForMaskedLM", DECODER, ["hidden_dropout_prob", "attention_probs_dropout_prob"]),
    "gpt2": ("GPT2LMHeadModel", dict(n_embd=192, n_inner=520, n_layer=3, n_head=6, vocab_size=VOCAB, n_positions=256),
             ["resid_pdrop", "embd_pdrop", "attn_pdrop"]),
    "opt": ("OPTForCausalLM", dict(hidden_size=192, ffn_dim=520, num_hidden_layers=3, num_attention_heads=6,
                                   vocab_size=VOCAB, max_position_embeddings=256), ["dropout", "attention_dropout"]),
    "llama": ("LlamaForCausalLM", GROUPED, ["attention_dropout"]),
    "mistral": ("MistralForCausalLM", dict(GROUPED, head_dim=40), ["attention_dropout"]),
    "qwen2": ("Qwen2ForCausalLM", GROUPED, ["attention_dropout"]),
    "mixtral": ("MixtralForCausalLM", dict(GROUPED, num_local_experts=4, num_experts_per_tok=2),
                ["attention_dropout"]),
    "phi": ("PhiForCausalLM", GROUPED, ["attention_dropout", "resid_pdrop", "embd_pdrop"]),
    "gpt_neox": ("GPTNeoXForCausalLM", DECODER, ["attention_dropout", "hidden_dropout"]),
    "t5": ("T5ForConditionalGeneration", dict(d_model=192, d_kv=40, num_heads=5, d_ff=520, num_layers=3,
                                              num_decoder_layers=3, vocab_size=VOCAB), ["dropout_rate"]),
    "vit": ("ViTForImageClassification", dict(hidden_size=192, intermediate_size=520, num_hidden_layers=3,
                                              num_attention_heads=6, image_size=96, patch_size=12, num_labels=10),
            ["hidden_dropout_prob", "attention_probs_dropout_prob"]),
    "megatron-bert": ("MegatronBertForMaskedLM", DECODER, ["hidden_dropout_prob", "attention_probs_dropout_prob"]),
}
# name, family, extra settings, attention implementations
VARIANTS = [
    ("all-heads", "llama", dict(num_key_value_heads=6), ["eager", "sdpa"]),
    ("biases-wide-heads", "llama", dict(attention_bias=True, mlp_bias=True, head_dim=40), ["eager"]),
    ("cache", "llama", dict(use_cache=True), ["eager"]),
    ("window", "mistral", dict(sliding_window=24), ["eager", "sdpa"]),
    ("window", "qwen2", dict(use_sliding_window=True, sliding_window=24, max_window_layers=0), ["sdpa"]),
    ("expert-loop", "mixtral", dict(experts_implementation="eager"), ["eager"]),
    ("expert-batched", "mixtral", dict(experts_implementation="batched_mm"), ["eager"]),
    ("qk-norm", "phi", dict(qk_layernorm=True), ["eager"]),
    ("sequential-no-bias", "gpt_neox", dict(use_parallel_residual=False, attention_bias=False), ["eager"]),
    ("post-norm-projected", "opt", dict(do_layer_norm_before=False, word_embed_proj_dim=96), ["eager"]),
    ("no-bias-no-affine", "opt", dict(enable_bias=False, layer_norm_elementwise_affine=False), ["eager"]),
    ("gated", "t5", dict(feed_forward_proj="gated-gelu"), ["eager", "sdpa"]),
    ("upcast", "gpt2", dict(reorder_and_upcast_attn=True), ["eager"]),
    ("fused-gelu", "gpt2", dict(activation_function="gelu_pytorch_tanh"), ["eager"]),
]


def cases():
    """(id, family, settings, attention, dropout label) of every case for the installed version."""
    if MAJOR < 5:  # the families whose layers differ from version 5
        for family in ("bert", "gpt2", "t5", "mixtral"):
            for dropout in ("zero", "default" if family != "mixtral" else "0.1"):
                yield family, "base", {}, "eager", dropout
        return
    for family in BASE:
        second = "default" if family in ("bert", "gpt2", "opt", "t5", "megatron-bert") else "0.1"
        for attention in ["eager"] if family == "megatron-bert" else ["eager", "sdpa"]:
            for dropout in ("zero", second):
                yield family, "base", {}, attention, dropout
    for name, family, extra, attentions in VARIANTS:
        for attention in attentions:
            yield family, name, extra, attention, "zero"


# --- recording --------------------------------------------------------------------------------------------------

def key(tensor):
    return tensor.untyped_storage()._cdata


def describe(value):
    if isinstance(value, torch.Tensor):
        return f"{TYPES[value.dtype]}[{','.join(map(str, value.shape))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def flat(values):
    return [v for v in tree_leaves(values) if isinstance(v, (torch.Tensor, int, float, bool))]


class Recorder(TorchDispatchMode):
    """Operators and the storages they make, by part."""

    def __init__(self):
        super().__init__()
        self.part = "embedding"
        self.operators = {}
        self.made = {}
        self.kept = []  # nothing is freed, so no address is used twice

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        tensors = [t for t in tree_leaves(result) if isinstance(t, torch.Tensor)]
        self.kept += tensors
        for tensor in tensors:
            self.made.setdefault(key(tensor), self.part)
        name = str(func).removesuffix(".default")
        view = any(r.alias_info is not None and not r.alias_info.is_write for r in func._schema.returns)
        if tensors and not view and not name.startswith(("aten._unsafe_view", "aten.lift_fresh", "prim.")):
            self.operators.setdefault(self.part, []).append(
                [name, " ".join(map(describe, flat((args, kwargs)))), " ".join(map(describe, tensors))])
        return result


class Saved:
    """Saved-tensor hooks that number every saved tensor."""

    def __init__(self, recorder):
        self.recorder, self.tensors, self.parts, self.read = recorder, [], [], None

    def pack(self, tensor):
        self.tensors.append(tensor)
        self.parts.append(self.recorder.part)
        return len(self.tensors) - 1

    def unpack(self, index):
        self.read.append(index)
        return self.tensors[index]

    def holders(self, root):
        """Index of a saved tensor -> names of the autograd node attributes that hold it."""
        names = {}
        stack, seen = [root], set()
        while stack:
            node = stack.pop()
            if node is None or node in seen:
                continue
            seen.add(node)
            stack += [n for n, _ in node.next_functions]
            for attribute in dir(node):
                if attribute.startswith("_saved_") or attribute == "saved_tensors":
                    self.read = []
                    with contextlib.suppress(Exception):
                        getattr(node, attribute)
                    for index in self.read:
                        holder = re.sub(r"Backward\d*$", "", node.name()) + "." + attribute.removeprefix("_saved_")
                        names.setdefault(index, []).append(holder)
        return names


def layers_of(model, family):
    """(part name or None, layer) of every layer in the order they run."""
    stacks = {"bert": "bert.encoder.layer", "gpt2": "transformer.h", "opt": "model.decoder.layers",
              "gpt_neox": "gpt_neox.layers", "vit": "vit.layers" if MAJOR >= 5 else "vit.encoder.layer",
              "megatron-bert": "bert.encoder.layer"}
    if family == "t5":
        for stack in ("encoder", "decoder"):
            for i, layer in enumerate(getattr(model, stack).block):
                yield f"{stack}_layer" if i == 1 else f"{stack} {i}", layer
        return
    for i, layer in enumerate(model.get_submodule(stacks.get(family, "model.layers"))):
        yield "layer" if i == 1 else f"layer {i}", layer


def inputs_of(family, device):
    def ids(length):
        return torch.randint(3, VOCAB, (BATCH, length), device=device)
    if family == "vit":
        return dict(pixel_values=torch.randn(BATCH, 3, 96, 96, dtype=torch.bfloat16, device=device),
                    labels=torch.randint(0, 10, (BATCH,), device=device))
    if family == "t5":
        return dict(input_ids=ids(SEQUENCE), decoder_input_ids=ids(DECODER_SEQUENCE), labels=ids(DECODER_SEQUENCE))
    return dict(input_ids=ids(SEQUENCE), labels=ids(SEQUENCE))


def gpu_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """The operator a GPU would choose for scaled_dot_product_attention."""
    if attn_mask is None:
        return aten._scaled_dot_product_flash_attention(query, key, value, dropout_p, is_causal, False,
                                                        scale=scale)[0]
    if attn_mask.dtype == torch.bool:  # as scaled_dot_product_attention does
        attn_mask = torch.where(attn_mask, torch.zeros((), dtype=query.dtype, device=query.device),
                                torch.full((), -float("inf"), dtype=query.dtype, device=query.device))
    shape = (query.shape[0], query.shape[1], query.shape[2], key.shape[2])
    return aten._scaled_dot_product_efficient_attention(query, key, value, attn_mask.expand(shape), True, dropout_p,
                                                        is_causal, scale=scale)[0]


def no_mask(padding, *args, **kwargs):
    """Whether a mask can be left out: unless there is a window, always the last argument, shorter than the row."""
    window = kwargs.get("local_attention_size", kwargs.get("local_size", args[-1] if args else None))
    return window is None or SEQUENCE < window


@contextlib.contextmanager
def fake_cuda():
    """Fake CUDA tensors, and the few places patched that would look at data or at the device."""
    rand = torch.rand
    with contextlib.ExitStack() as stack:
        stack.enter_context(FakeTensorMode(allow_non_fake_inputs=True))
        stack.enter_context(mock.patch.object(torch.nn.functional, "scaled_dot_product_attention", gpu_attention))
        stack.enter_context(mock.patch.object(transformers.PreTrainedModel, "warn_if_padding_and_no_attention_mask",
                                              lambda *args, **kwargs: None))
        # OPT draws a number per layer and compares it with layerdrop, here 0
        stack.enter_context(mock.patch.object(torch, "rand", lambda *a, **k: 1.0 if a == ([],) else rand(*a, **k)))
        # No padding and one sequence per row; the library would read the data to see that
        masks = dict(find_packed_sequence_indices=lambda *args, **kwargs: None,
                     _ignore_causal_mask_sdpa=no_mask, _ignore_bidirectional_mask_sdpa=no_mask)
        for name, replacement in masks.items():
            if hasattr(transformers.masking_utils, name):
                stack.enter_context(mock.patch.object(transformers.masking_utils, name, replacement))
        if MAJOR >= 5:
            import transformers.initialization as initialization
            import transformers.integrations.moe as moe
            stack.enter_context(mock.patch.dict(initialization.TORCH_INIT_FUNCTIONS,
                                                trunc_normal_=lambda tensor, **kwargs: tensor))
            stack.enter_context(mock.patch.object(moe, "_can_use_grouped_mm", lambda *args: True))
        yield


def run_case(family, settings, attention, device):
    architecture, base, _ = BASE[family]
    settings = dict(base, **{"use_cache": False, **settings}) if family != "vit" else dict(base, **settings)
    torch.manual_seed(1)
    config = CONFIG_MAPPING[family](**copy.deepcopy(settings))
    cls = getattr(transformers, architecture)
    kwargs = dict(dtype=torch.bfloat16)
    if not (MAJOR < 5 and family in ("t5",)):
        kwargs["attn_implementation"] = attention
    with torch.device(device):
        model = cls._from_config(config, **kwargs)
    model.train()
    inputs = inputs_of(family, device)
    if family == "t5" and MAJOR < 5:
        inputs["use_cache"] = False
    recorder = Recorder()
    saved = Saved(recorder)
    parts = list(layers_of(model, family))
    names = [name for name, _ in parts]
    ends = {}  # part -> what is its input, shared arguments and output
    given = {key(v) for k, v in inputs.items() if k not in ("labels", "use_cache")}
    ends["embedding"] = dict(input=given, shared={}, output=set())
    head = {"input": set(), "shared": {}, "output": set()}
    marks = []  # (autograd node, part whose backward begins with it)

    def before(name):
        def hook(module, args, kwargs):
            hidden = args[0] if args else kwargs["hidden_states"]
            if recorder.part in ("embedding", "middle"):
                ends[recorder.part]["output"].add(key(hidden))
                marks.append((hidden.grad_fn, recorder.part))
            bound = inspect.signature(module.forward).bind(*args, **kwargs).arguments
            shared = {}
            for argument, value in bound.items():
                for leaf in tree_leaves(value):
                    if isinstance(leaf, torch.Tensor) and key(leaf) != key(hidden):
                        shared[key(leaf)] = argument
            ends[name] = dict(input={key(hidden)}, shared=shared, output=set())
            recorder.part = name
        return hook

    def after(name):
        def hook(module, args, result):
            hidden = result[0] if isinstance(result, tuple) else result
            ends[name]["output"].add(key(hidden))
            marks.append((hidden.grad_fn, name))
            if name == names[-1]:
                head["input"].add(key(hidden))
            recorder.part = "head" if name == names[-1] else "between"
            if family == "t5" and name == "encoder 2":
                recorder.part = "middle"
                ends["middle"] = dict(input={key(hidden), key(inputs["decoder_input_ids"])}, shared={}, output=set())
        return hook

    for name, layer in parts:
        layer.register_forward_pre_hook(before(name), with_kwargs=True)
        layer.register_forward_hook(after(name))
    with torch.autograd.graph.saved_tensors_hooks(saved.pack, saved.unpack), recorder:
        outputs = model(**inputs)
    loss = outputs.loss
    ends["head"] = head
    parameters = {key(p) for p in model.parameters()}
    buffers = {key(b) for b in model.buffers()}
    holders = saved.holders(loss.grad_fn)

    backward = {}
    if device == "cpu":
        recorder.operators, forward = {}, recorder.operators
        recorder.part = "head"

        def entering(name):
            def hook(grads):
                recorder.part = name
            return hook
        for node, name in marks:
            node.register_prehook(entering(name))
        saved.read = []
        with recorder:
            loss.backward()
        backward = recorder.operators
    else:
        forward = recorder.operators

    result = {}
    wanted = ["embedding", "encoder_layer", "middle", "decoder_layer", "layer", "head"]
    for part in [w for w in wanted if w in ends]:
        end = ends[part]
        entries, order = {}, []
        for index, (tensor, where) in enumerate(zip(saved.tensors, saved.parts)):
            if where != part or key(tensor) in parameters:
                continue
            k = key(tensor)
            if k not in entries:
                if k in end["input"]:
                    kind = "input"
                elif k in end["shared"]:
                    kind = "shared:" + end["shared"][k]
                elif k in buffers or (recorder.made.get(k, part) != part):
                    kind = "earlier"
                elif k in end["output"]:
                    kind = "output"
                else:
                    kind = "own"
                entries[k] = dict(tensor=describe(tensor), bytes=tensor.untyped_storage().nbytes(), by=[], **{"is": kind})
                order.append(k)
            for holder in holders.get(index, []):
                if holder not in entries[k]["by"]:
                    entries[k]["by"].append(holder)
        result[part] = dict(
            saved=[entries[k] for k in order],
            own_bytes=sum(e["bytes"] for e in entries.values() if e["is"] in ("own", "output")),
            input=any(e["is"] == "input" for e in entries.values()),
            forward=forward.get(part, []))
        if device == "cpu":
            result[part]["backward"] = [op for op in backward.get(part, []) if PRODUCT.match(op[0])]
    return architecture, settings, result


def main(path):
    collected = []
    for family, name, extra, attention, dropout in cases():
        settings = dict(extra)
        for setting in BASE[family][2]:
            if dropout != "default":
                settings[setting] = 0.0 if dropout == "zero" else 0.1
        for device in ("cpu", "cuda"):
            if device == "cuda" and family == "mixtral" and (name == "expert-loop" or MAJOR < 5):
                continue  # a loop over the experts needs data
            with fake_cuda() if device == "cuda" else contextlib.nullcontext():
                architecture, config, parts = run_case(family, settings, attention, device)
            where = "cpu" if device == "cpu" else "cuda-fake"
            case = dict(id=f"{family}/{name}/{attention}/{dropout}/{where}/v{MAJOR}",
                        library=f"transformers {VERSION}", torch=torch.__version__.split("+")[0], device=where,
                        family=family, architecture=architecture, attention=attention, dropout=dropout,
                        config=dict(config, model_type=family), dtype="bfloat16", batch=BATCH, sequence=SEQUENCE)
            if family == "t5":
                case["decoder_sequence"] = DECODER_SEQUENCE
            if family == "vit":
                case["sequence"] = 65  # patches and the class token
            collected.append(dict(case, parts=parts))
            print(case["id"], {p: v["own_bytes"] for p, v in parts.items()}, flush=True)
    if os.path.exists(path):
        with open(path) as file:
            old = json.load(file)
        for case in old["cases"]:
            if not case["id"].endswith(f"/v{MAJOR}"):
                for part in case["parts"].values():
                    for direction in ("forward", "backward"):
                        if direction in part:
                            part[direction] = [old["operators"][i] for i in part[direction]]
                collected.append(case)
    table = {}
    for case in collected:
        for part in case["parts"].values():
            for direction in ("forward", "backward"):
                if direction in part:
                    part[direction] = [table.setdefault(tuple(op), len(table)) for op in part[direction]]
    dump = lambda value: json.dumps(value, separators=(",", ":"))
    with open(path, "w") as file:
        file.write('{"operators":[\n' + ",\n".join(dump(op) for op in table) + '\n],"cases":[\n'
                   + ",\n".join(dump(case) for case in collected) + "\n]}\n")
    print(len(collected), "cases in", path)


if __name__ == "__main__":
    main(sys.argv[1])
