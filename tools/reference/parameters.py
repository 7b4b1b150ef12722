#!/usr/bin/env python3
"""Counts the parameters of Hugging Face models and writes tests/reference/parameters.json.

Every model is built by the installed transformers library on the meta device (no memory, no
weights); tied parameters count once. Run it once per library version; a later run replaces the
cases of its own major version in the file and keeps the others:

    python parameters.py tests/reference/parameters.json

Four groups of cases (the group is part of a case's id):
  known   well-known models; where the size of the published checkpoint is known it is asserted
  random  odd configurations from a fixed seed
  heads   every model class the library has for the family, with 7 labels
  raw     configuration files as given: keys missing, null values, old names, files of older
          versions; "config" is then the given dict, not what the library would write

"config" of the other groups is what save_pretrained writes for the built model. Every written
config is read back through the library and must build a model of the same size.
"""
import copy
import importlib
import json
import os
import random
import sys

import torch
import transformers
from transformers import PreTrainedModel
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

transformers.logging.set_verbosity(transformers.logging.CRITICAL)
VERSION = transformers.__version__
MAJOR = int(VERSION.split(".")[0])

FAMILIES = ["bert", "gpt2", "opt", "llama", "mistral", "qwen2", "mixtral", "phi", "gpt_neox", "t5", "vit",
            "megatron-bert"]
LM = {"bert": "BertForMaskedLM", "gpt2": "GPT2LMHeadModel", "opt": "OPTForCausalLM", "llama": "LlamaForCausalLM",
      "mistral": "MistralForCausalLM", "qwen2": "Qwen2ForCausalLM", "mixtral": "MixtralForCausalLM",
      "phi": "PhiForCausalLM", "gpt_neox": "GPTNeoXForCausalLM", "t5": "T5ForConditionalGeneration",
      "vit": "ViTForImageClassification", "megatron-bert": "MegatronBertForMaskedLM"}


def model_class(name):
    return getattr(transformers, name)


def count(architecture, config):
    with torch.device("meta"):
        model = model_class(architecture)(config)
    return sum(p.numel() for p in model.parameters()), model


def classes_of(family):
    """All model classes the library exports for a family, base class included."""
    package = family.replace("-", "_")
    module = importlib.import_module(f"transformers.models.{package}.modeling_{package}")
    names = []
    for name in sorted(module.__all__):
        cls = getattr(module, name)
        if isinstance(cls, type) and issubclass(cls, PreTrainedModel) and "PreTrainedModel" not in name:
            names.append(name)
    return names


# --- known models: family, name, architecture, settings, published parameter count (or None) -------------------

def opt(h, l, a, **more):
    return dict(hidden_size=h, num_hidden_layers=l, num_attention_heads=a, ffn_dim=4 * h, word_embed_proj_dim=h, **more)


def pythia(h, l, a, v=50304):
    return dict(hidden_size=h, num_hidden_layers=l, num_attention_heads=a, intermediate_size=4 * h, vocab_size=v,
                rotary_pct=0.25)


def t5(d, ff, l, a, kv=64, **more):
    return dict(d_model=d, d_ff=ff, num_layers=l, num_heads=a, d_kv=kv, **more)


LLAMA3 = dict(vocab_size=128256, rms_norm_eps=1e-5)
LLAMA31_ROPE = dict(factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=8192,
                    rope_type="llama3")
FLAN = dict(feed_forward_proj="gated-gelu", tie_word_embeddings=False)

KNOWN = [
    ("bert", "bert-base-uncased", "BertModel", {}, 109482240),
    ("bert", "bert-base-uncased-mlm", "BertForMaskedLM", {}, 109514298),
    ("bert", "bert-base-cased-pretraining", "BertForPreTraining", dict(vocab_size=28996), None),
    ("bert", "bert-large-uncased", "BertModel",
     dict(hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096), 335141888),
    ("bert", "bert-large-uncased-mlm", "BertForMaskedLM",
     dict(hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096), 335174458),
    ("gpt2", "gpt2", "GPT2LMHeadModel", {}, 124439808),
    ("gpt2", "gpt2-medium", "GPT2LMHeadModel", dict(n_embd=1024, n_layer=24, n_head=16), 354823168),
    ("gpt2", "gpt2-large", "GPT2LMHeadModel", dict(n_embd=1280, n_layer=36, n_head=20), 774030080),
    ("gpt2", "gpt2-xl", "GPT2LMHeadModel", dict(n_embd=1600, n_layer=48, n_head=25), 1557611200),
    ("opt", "opt-125m", "OPTForCausalLM", opt(768, 12, 12), 125239296),
    ("opt", "opt-350m", "OPTForCausalLM",
     dict(opt(1024, 24, 16), word_embed_proj_dim=512, do_layer_norm_before=False), 331196416),
    ("opt", "opt-1.3b", "OPTForCausalLM", opt(2048, 24, 32), 1315758080),
    ("opt", "opt-6.7b", "OPTForCausalLM", opt(4096, 32, 32), 6658473984),
    ("opt", "opt-66b", "OPTForCausalLM", opt(9216, 64, 72), None),
    ("llama", "llama-2-7b", "LlamaForCausalLM", dict(max_position_embeddings=4096, rms_norm_eps=1e-5), 6738415616),
    ("llama", "llama-2-13b", "LlamaForCausalLM",
     dict(hidden_size=5120, intermediate_size=13824, num_hidden_layers=40, num_attention_heads=40), 13015864320),
    ("llama", "llama-2-70b", "LlamaForCausalLM",
     dict(hidden_size=8192, intermediate_size=28672, num_hidden_layers=80, num_attention_heads=64,
          num_key_value_heads=8), 68976648192),
    ("llama", "llama-3-8b", "LlamaForCausalLM",
     dict(LLAMA3, hidden_size=4096, intermediate_size=14336, num_key_value_heads=8, rope_theta=500000.0,
          max_position_embeddings=8192), 8030261248),
    ("llama", "llama-3-70b", "LlamaForCausalLM",
     dict(LLAMA3, hidden_size=8192, intermediate_size=28672, num_hidden_layers=80, num_attention_heads=64,
          num_key_value_heads=8, rope_theta=500000.0), 70553706496),
    ("llama", "llama-3.1-405b", "LlamaForCausalLM",
     dict(LLAMA3, hidden_size=16384, intermediate_size=53248, num_hidden_layers=126, num_attention_heads=128,
          num_key_value_heads=8, max_position_embeddings=131072, rope_theta=500000.0, rope_scaling=LLAMA31_ROPE),
     405853388800),
    ("llama", "llama-3.2-1b", "LlamaForCausalLM",
     dict(LLAMA3, hidden_size=2048, intermediate_size=8192, num_hidden_layers=16, num_attention_heads=32,
          num_key_value_heads=8, head_dim=64, max_position_embeddings=131072, tie_word_embeddings=True,
          rope_theta=500000.0, rope_scaling=dict(LLAMA31_ROPE, factor=32.0)), 1235814400),
    ("llama", "llama-3.2-3b", "LlamaForCausalLM",
     dict(LLAMA3, hidden_size=3072, intermediate_size=8192, num_hidden_layers=28, num_attention_heads=24,
          num_key_value_heads=8, head_dim=128, tie_word_embeddings=True, rope_theta=500000.0), 3212749824),
    ("mistral", "mistral-7b-v0.1", "MistralForCausalLM", dict(max_position_embeddings=32768), 7241732096),
    ("mistral", "mistral-7b-v0.3", "MistralForCausalLM", dict(vocab_size=32768, sliding_window=None), 7248023552),
    ("mistral", "mistral-nemo-12b", "MistralForCausalLM",
     dict(vocab_size=131072, hidden_size=5120, intermediate_size=14336, num_hidden_layers=40, head_dim=128,
          sliding_window=None), 12247782400),
    ("qwen2", "qwen2.5-0.5b", "Qwen2ForCausalLM",
     dict(vocab_size=151936, hidden_size=896, intermediate_size=4864, num_hidden_layers=24, num_attention_heads=14,
          num_key_value_heads=2, max_window_layers=24, tie_word_embeddings=True), 494032768),
    ("qwen2", "qwen2.5-1.5b", "Qwen2ForCausalLM",
     dict(vocab_size=151936, hidden_size=1536, intermediate_size=8960, num_hidden_layers=28, num_attention_heads=12,
          num_key_value_heads=2, tie_word_embeddings=True), 1543714304),
    ("qwen2", "qwen2.5-7b", "Qwen2ForCausalLM",
     dict(vocab_size=152064, hidden_size=3584, intermediate_size=18944, num_hidden_layers=28, num_attention_heads=28,
          num_key_value_heads=4), 7615616512),
    ("qwen2", "qwen2.5-72b", "Qwen2ForCausalLM",
     dict(vocab_size=152064, hidden_size=8192, intermediate_size=29568, num_hidden_layers=80, num_attention_heads=64,
          num_key_value_heads=8, max_window_layers=70), 72706203648),
    ("mixtral", "mixtral-8x7b", "MixtralForCausalLM", dict(max_position_embeddings=32768), 46702792704),
    ("mixtral", "mixtral-8x22b", "MixtralForCausalLM",
     dict(hidden_size=6144, intermediate_size=16384, num_hidden_layers=56, num_attention_heads=48,
          num_key_value_heads=8, max_position_embeddings=65536), 140620634112),
    ("phi", "phi-1_5", "PhiForCausalLM", dict(partial_rotary_factor=0.5), 1418270720),
    ("phi", "phi-2", "PhiForCausalLM",
     dict(hidden_size=2560, intermediate_size=10240, num_hidden_layers=32, partial_rotary_factor=0.4,
          resid_pdrop=0.1), 2779683840),
    ("gpt_neox", "gpt-neox-20b", "GPTNeoXForCausalLM", {}, 20554567680),
    ("gpt_neox", "pythia-70m", "GPTNeoXForCausalLM", pythia(512, 6, 8), 70426624),
    ("gpt_neox", "pythia-160m", "GPTNeoXForCausalLM", pythia(768, 12, 12), 162322944),
    ("gpt_neox", "pythia-410m", "GPTNeoXForCausalLM", pythia(1024, 24, 16), 405334016),
    ("gpt_neox", "pythia-1b", "GPTNeoXForCausalLM", pythia(2048, 16, 8), 1011781632),
    ("gpt_neox", "pythia-2.8b", "GPTNeoXForCausalLM", pythia(2560, 32, 32), 2775208960),
    ("gpt_neox", "pythia-6.9b", "GPTNeoXForCausalLM", pythia(4096, 32, 32, 50432), 6857302016),
    ("gpt_neox", "pythia-12b", "GPTNeoXForCausalLM", pythia(5120, 36, 40, 50688), 11846072320),
    ("t5", "t5-small", "T5ForConditionalGeneration", t5(512, 2048, 6, 8), 60506624),
    ("t5", "t5-base", "T5ForConditionalGeneration", t5(768, 3072, 12, 12), 222903552),
    ("t5", "t5-large", "T5ForConditionalGeneration", t5(1024, 4096, 24, 16), 737668096),
    ("t5", "t5-3b", "T5ForConditionalGeneration", t5(1024, 16384, 24, 32, 128), None),
    # Published checkpoints of these hold an own output matrix; version 5 builds them tied.
    ("t5", "flan-t5-small", "T5ForConditionalGeneration", t5(512, 1024, 8, 6, **FLAN), 76961152 if MAJOR < 5 else None),
    ("t5", "flan-t5-base", "T5ForConditionalGeneration", t5(768, 2048, 12, 12, **FLAN),
     247577856 if MAJOR < 5 else None),
    ("t5", "flan-t5-xl", "T5ForConditionalGeneration", t5(2048, 5120, 24, 32, **FLAN),
     2849757184 if MAJOR < 5 else None),
    ("vit", "vit-base-patch16-224", "ViTForImageClassification", dict(num_labels=1000), 86567656),
    ("vit", "vit-large-patch16-224", "ViTForImageClassification",
     dict(num_labels=1000, hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096),
     304326632),
    ("vit", "vit-base-patch32-384", "ViTForImageClassification",
     dict(num_labels=1000, patch_size=32, image_size=384), 88297192),
    ("vit", "vit-base-patch16-224-in21k", "ViTModel", {}, 86389248),
    ("megatron-bert", "megatron-bert-345m", "MegatronBertForMaskedLM", {}, None),
    ("megatron-bert", "megatron-bert-3.9b", "MegatronBertForPreTraining",
     dict(hidden_size=2560, num_hidden_layers=48, num_attention_heads=40, intermediate_size=10240), None),
]


# --- random configurations ----------------------------------------------------------------------------------

def random_settings(family, rng):
    """One odd but valid configuration of a family; (settings, architecture)."""
    pick, num = rng.choice, rng.randint
    flag = lambda: rng.random() < 0.5
    layers = num(1, 5)
    vocab = num(90, 3000)
    labels = dict(num_labels=num(1, 9)) if flag() else {}
    if family in ("bert", "megatron-bert"):
        heads = num(1, 7)
        c = dict(hidden_size=heads * num(3, 40), num_attention_heads=heads, num_hidden_layers=layers,
                 intermediate_size=num(5, 700), vocab_size=vocab, max_position_embeddings=num(9, 600),
                 type_vocab_size=num(1, 5), hidden_act=pick(["gelu", "relu", "gelu_new", "silu"]),
                 tie_word_embeddings=flag(), **labels)
        if flag():
            c.update(is_decoder=True, add_cross_attention=flag())
    elif family == "gpt2":
        heads = num(1, 7)
        c = dict(n_embd=heads * num(3, 40), n_head=heads, n_layer=layers, n_positions=num(9, 600), vocab_size=vocab,
                 n_inner=num(5, 700) if flag() else None, tie_word_embeddings=flag(), add_cross_attention=flag(),
                 summary_use_proj=flag(), summary_proj_to_labels=flag(),
                 activation_function=pick(["gelu_new", "relu", "gelu", "gelu_pytorch_tanh"]), **labels)
    elif family == "opt":
        heads = num(1, 7)
        hidden = heads * num(3, 40)
        c = dict(hidden_size=hidden, num_attention_heads=heads, num_hidden_layers=layers, ffn_dim=num(5, 700),
                 vocab_size=vocab, max_position_embeddings=num(9, 600), enable_bias=flag(),
                 layer_norm_elementwise_affine=flag(), do_layer_norm_before=flag(), _remove_final_layer_norm=flag(),
                 word_embed_proj_dim=num(7, 200) if flag() else hidden, tie_word_embeddings=flag(), **labels)
        if MAJOR < 5:  # version 4 cannot initialise layer norms without parameters
            c["layer_norm_elementwise_affine"] = True
    elif family in ("llama", "mistral", "qwen2", "mixtral"):
        kv = num(1, 4)
        heads = kv * num(1, 5)
        own = flag()
        # llama insists on hidden % heads == 0 even where head_dim is given; the others take any
        hidden = heads * num(5, 30) if family == "llama" else num(40, 400)
        if not own:
            hidden = heads * 2 * num(3, 20)
        c = dict(hidden_size=hidden, num_attention_heads=heads, num_key_value_heads=kv, num_hidden_layers=layers,
                 intermediate_size=num(5, 700), vocab_size=vocab, max_position_embeddings=num(9, 600),
                 tie_word_embeddings=flag(), **labels)
        if own:
            c["head_dim"] = 2 * num(3, 30)
        if family == "llama":
            c.update(attention_bias=flag(), mlp_bias=flag())
        elif family == "mistral":
            c["sliding_window"] = num(3, 99) if flag() else None
        elif family == "qwen2":
            if flag():
                c.update(use_sliding_window=True, sliding_window=num(3, 99), max_window_layers=num(0, layers))
        else:
            experts = num(2, 9)
            c.update(num_local_experts=experts, num_experts_per_tok=num(1, experts))
    elif family == "phi":
        kv = num(1, 3)
        heads = kv * num(1, 4)
        c = dict(hidden_size=heads * 4 * num(2, 12), num_attention_heads=heads, num_key_value_heads=kv,
                 num_hidden_layers=layers, intermediate_size=num(5, 700), vocab_size=vocab,
                 partial_rotary_factor=pick([0.25, 0.5, 1.0]), tie_word_embeddings=flag(), **labels)
        if flag():
            c["qk_layernorm"] = True
        elif flag():
            c["head_dim"] = 4 * num(2, 15)
    elif family == "gpt_neox":
        heads = num(1, 7)
        c = dict(hidden_size=heads * 8 * num(1, 9), num_attention_heads=heads, num_hidden_layers=layers,
                 intermediate_size=num(5, 700), vocab_size=vocab, use_parallel_residual=flag(), attention_bias=flag(),
                 rotary_pct=pick([0.25, 0.5, 1.0]), tie_word_embeddings=flag(), **labels)
    elif family == "t5":
        c = dict(d_model=num(17, 300), d_kv=num(3, 70), num_heads=num(1, 7), d_ff=num(5, 700), num_layers=layers,
                 num_decoder_layers=num(1, 6) if flag() else None, vocab_size=vocab,
                 relative_attention_num_buckets=2 * num(4, 20),
                 feed_forward_proj=pick(["relu", "gated-gelu", "gated-silu", "gelu"]), tie_word_embeddings=flag(),
                 **labels)
    elif family == "vit":
        heads = num(1, 7)
        patch = num(2, 16)
        stride = num(2, 16)
        c = dict(hidden_size=heads * num(3, 40), num_attention_heads=heads, num_hidden_layers=layers,
                 intermediate_size=num(5, 700), qkv_bias=flag(), num_channels=num(1, 5), patch_size=patch,
                 image_size=num(patch, 200), encoder_stride=stride,
                 pooler_output_size=num(5, 99) if flag() else None, **labels)
        if flag():
            c.update(image_size=[num(30, 99), num(30, 99)], patch_size=[num(3, 30), num(3, 30)])
        if flag():
            c["head_dim"] = num(3, 30)
    architecture = LM[family] if rng.random() < 0.6 else pick(classes_of(family))
    return c, architecture


# --- configuration files as given: family, name, architecture, the dict, majors that accept it ---------------

GPT2_SMALL = dict(vocab_size=777)
RAW = [
    ("bert", "only-type", "BertModel", {}, (4, 5)),
    ("bert", "two-keys", "BertForMaskedLM", dict(hidden_size=120, num_hidden_layers=3), (4, 5)),
    ("bert", "hub-file", "BertForMaskedLM", dict(
        architectures=["BertForMaskedLM"], attention_probs_dropout_prob=0.1, gradient_checkpointing=False,
        hidden_act="gelu", hidden_dropout_prob=0.1, hidden_size=1024, initializer_range=0.02, intermediate_size=4096,
        layer_norm_eps=1e-12, max_position_embeddings=512, num_attention_heads=16, num_hidden_layers=24,
        pad_token_id=0, position_embedding_type="absolute", transformers_version="4.6.0.dev0", type_vocab_size=2,
        use_cache=True, vocab_size=30522), (4, 5)),
    ("bert", "untied", "BertForMaskedLM", dict(hidden_size=48, vocab_size=500, tie_word_embeddings=False), (4, 5)),
    ("bert", "null-classifier-dropout", "BertForSequenceClassification",
     dict(hidden_size=48, classifier_dropout=None, id2label={"0": "a", "1": "b", "2": "c"},
          label2id={"a": 0, "b": 1, "c": 2}), (4, 5)),
    ("bert", "num-labels-key", "BertForTokenClassification", dict(hidden_size=48, num_labels=9), (4, 5)),
    ("bert", "relative-key", "BertModel", dict(hidden_size=48, position_embedding_type="relative_key"), (4, 5)),
    ("megatron-bert", "only-type", "MegatronBertModel", {}, (4, 5)),
    ("megatron-bert", "two-keys", "MegatronBertForMaskedLM", dict(num_hidden_layers=2, vocab_size=999), (4, 5)),
    ("megatron-bert", "untied", "MegatronBertForPreTraining",
     dict(num_hidden_layers=2, hidden_size=64, tie_word_embeddings=False), (4, 5)),
    ("gpt2", "only-type", "GPT2Model", {}, (4, 5)),
    ("gpt2", "standard-names", "GPT2LMHeadModel",
     dict(GPT2_SMALL, hidden_size=96, num_hidden_layers=3, num_attention_heads=4, max_position_embeddings=77), (4, 5)),
    ("gpt2", "both-names", "GPT2LMHeadModel", dict(GPT2_SMALL, hidden_size=96, n_embd=120, n_layer=2), (4, 5)),
    ("gpt2", "null-inner", "GPT2LMHeadModel", dict(GPT2_SMALL, n_embd=96, n_inner=None), (4, 5)),
    ("gpt2", "hub-file", "GPT2LMHeadModel", dict(
        activation_function="gelu_new", architectures=["GPT2LMHeadModel"], attn_pdrop=0.1, bos_token_id=50256,
        embd_pdrop=0.1, eos_token_id=50256, initializer_range=0.02, layer_norm_epsilon=1e-05, n_ctx=1024, n_embd=768,
        n_head=12, n_layer=12, n_positions=1024, resid_pdrop=0.1, summary_activation=None, summary_first_dropout=0.1,
        summary_proj_to_labels=True, summary_type="cls_index", summary_use_proj=True,
        task_specific_params={"text-generation": {"do_sample": True, "max_length": 50}}, vocab_size=50257), (4, 5)),
    ("opt", "only-type", "OPTModel", {}, (4, 5)),
    ("opt", "two-keys", "OPTForCausalLM", dict(hidden_size=96, num_hidden_layers=2), (4, 5)),
    ("opt", "null-proj", "OPTForCausalLM", dict(hidden_size=96, num_hidden_layers=2, word_embed_proj_dim=None), (4, 5)),
    ("opt", "hub-file-350m", "OPTForCausalLM", dict(
        activation_dropout=0.0, activation_function="relu", architectures=["OPTForCausalLM"], attention_dropout=0.0,
        bos_token_id=2, do_layer_norm_before=False, dropout=0.1, eos_token_id=2, ffn_dim=4096, hidden_size=1024,
        init_std=0.02, layerdrop=0.0, max_position_embeddings=2048, num_attention_heads=16, num_hidden_layers=24,
        pad_token_id=1, torch_dtype="float16", transformers_version="4.20.0.dev0", use_cache=True, vocab_size=50272,
        word_embed_proj_dim=512, prefix="</s>"), (4, 5)),
    ("llama", "only-type", "LlamaForCausalLM", {}, (4, 5)),
    ("llama", "two-keys", "LlamaForCausalLM", dict(hidden_size=512, num_hidden_layers=2), (4, 5)),
    ("llama", "nulls", "LlamaForCausalLM",
     dict(hidden_size=512, num_hidden_layers=2, head_dim=None, num_key_value_heads=None, rope_scaling=None,
          pad_token_id=None), (4, 5)),
    ("llama", "hub-file-2-70b", "LlamaForCausalLM", dict(
        architectures=["LlamaForCausalLM"], bos_token_id=1, eos_token_id=2, hidden_act="silu", hidden_size=8192,
        initializer_range=0.02, intermediate_size=28672, max_position_embeddings=4096, num_attention_heads=64,
        num_hidden_layers=80, num_key_value_heads=8, pad_token_id=0, pretraining_tp=1, rms_norm_eps=1e-05,
        rope_scaling=None, tie_word_embeddings=False, torch_dtype="float16", transformers_version="4.32.0.dev0",
        use_cache=True, vocab_size=32000), (4, 5)),
    ("llama", "hub-file-3.1-8b", "LlamaForCausalLM", dict(
        architectures=["LlamaForCausalLM"], attention_bias=False, attention_dropout=0.0, bos_token_id=128000,
        eos_token_id=128001, hidden_act="silu", hidden_size=4096, initializer_range=0.02, intermediate_size=14336,
        max_position_embeddings=131072, mlp_bias=False, num_attention_heads=32, num_hidden_layers=32,
        num_key_value_heads=8, pretraining_tp=1, rms_norm_eps=1e-05, rope_scaling=LLAMA31_ROPE, rope_theta=500000.0,
        tie_word_embeddings=False, torch_dtype="bfloat16", transformers_version="4.43.0.dev0", use_cache=True,
        vocab_size=128256), (4, 5)),
    ("mistral", "only-type", "MistralModel", {}, (4, 5)),
    ("mistral", "nulls", "MistralForCausalLM",
     dict(hidden_size=512, num_hidden_layers=2, head_dim=None, sliding_window=None), (4, 5)),
    ("mistral", "null-kv", "MistralForCausalLM", dict(hidden_size=512, num_hidden_layers=2, num_key_value_heads=None),
     (4,)),
    ("mistral", "unread-bias", "MistralForCausalLM",
     dict(hidden_size=512, num_hidden_layers=2, attention_bias=True, mlp_bias=True), (4, 5)),
    ("qwen2", "only-type", "Qwen2Model", {}, (4, 5)),
    ("qwen2", "null-kv", "Qwen2ForCausalLM", dict(hidden_size=512, num_hidden_layers=2, num_key_value_heads=None),
     (4, 5)),
    ("qwen2", "hub-file-7b", "Qwen2ForCausalLM", dict(
        architectures=["Qwen2ForCausalLM"], attention_dropout=0.0, bos_token_id=151643, eos_token_id=151643,
        hidden_act="silu", hidden_size=3584, initializer_range=0.02, intermediate_size=18944,
        max_position_embeddings=131072, max_window_layers=28, num_attention_heads=28, num_hidden_layers=28,
        num_key_value_heads=4, rms_norm_eps=1e-06, rope_theta=1000000.0, sliding_window=131072,
        tie_word_embeddings=False, torch_dtype="bfloat16", transformers_version="4.40.1", use_cache=True,
        use_mrope=False, use_sliding_window=False, vocab_size=152064), (4, 5)),
    ("mixtral", "only-type", "MixtralForCausalLM", {}, (4, 5)),
    ("mixtral", "num-experts-name", "MixtralForCausalLM", dict(hidden_size=256, num_hidden_layers=2, num_experts=5),
     (4, 5)),
    ("mixtral", "nulls", "MixtralForCausalLM",
     dict(hidden_size=256, num_hidden_layers=2, head_dim=None, sliding_window=None), (4, 5)),
    ("phi", "only-type", "PhiForCausalLM", {}, (4, 5)),
    ("phi", "null-kv", "PhiForCausalLM", dict(hidden_size=512, num_hidden_layers=2, num_key_value_heads=None), (4, 5)),
    ("phi", "tied", "PhiForCausalLM", dict(hidden_size=512, num_hidden_layers=2, tie_word_embeddings=True), (4, 5)),
    ("gpt_neox", "only-type", "GPTNeoXModel", {}, (4, 5)),
    ("gpt_neox", "hub-file-pythia", "GPTNeoXForCausalLM", dict(
        architectures=["GPTNeoXForCausalLM"], bos_token_id=0, eos_token_id=0, hidden_act="gelu", hidden_size=1024,
        initializer_range=0.02, intermediate_size=4096, layer_norm_eps=1e-05, max_position_embeddings=2048,
        num_attention_heads=16, num_hidden_layers=24, rotary_emb_base=10000, rotary_pct=0.25,
        tie_word_embeddings=False, torch_dtype="float16", transformers_version="4.24.0", use_cache=True,
        use_parallel_residual=True, vocab_size=50304), (4, 5)),
    ("t5", "only-type", "T5Model", {}, (4, 5)),
    ("t5", "null-decoder-layers", "T5ForConditionalGeneration", dict(num_layers=3, num_decoder_layers=None), (4, 5)),
    ("t5", "standard-names", "T5ForConditionalGeneration",
     dict(hidden_size=96, num_attention_heads=4, num_hidden_layers=3, head_dim=24, vocab_size=777), (4, 5)),
    ("t5", "hub-file-flan-base", "T5ForConditionalGeneration", dict(
        architectures=["T5ForConditionalGeneration"], d_ff=2048, d_kv=64, d_model=768, decoder_start_token_id=0,
        dropout_rate=0.1, eos_token_id=1, feed_forward_proj="gated-gelu", initializer_factor=1.0,
        is_encoder_decoder=True, layer_norm_epsilon=1e-06, n_positions=512, num_decoder_layers=12, num_heads=12,
        num_layers=12, output_past=True, pad_token_id=0, relative_attention_max_distance=128,
        relative_attention_num_buckets=32, tie_word_embeddings=False, transformers_version="4.23.1", use_cache=True,
        vocab_size=32128), (4, 5)),
    ("vit", "only-type", "ViTModel", {}, (4, 5)),
    ("vit", "two-keys", "ViTForImageClassification", dict(hidden_size=96, image_size=64), (4, 5)),
    ("vit", "lists", "ViTForImageClassification",
     dict(hidden_size=96, image_size=[64, 100], patch_size=[16, 10], num_channels=1), (4, 5)),
    ("vit", "head-dim", "ViTModel", dict(hidden_size=96, head_dim=20, pooler_output_size=None), (4, 5)),
]

HEAD_SIZES = {
    "bert": dict(hidden_size=48, num_attention_heads=4, num_hidden_layers=2, intermediate_size=80, vocab_size=301),
    "gpt2": dict(n_embd=48, n_head=4, n_layer=2, n_positions=70, vocab_size=301),
    "opt": dict(hidden_size=48, num_attention_heads=4, num_hidden_layers=2, ffn_dim=80, vocab_size=301,
                word_embed_proj_dim=20),
    "phi": dict(hidden_size=48, num_attention_heads=4, num_hidden_layers=2, intermediate_size=80, vocab_size=301),
    "t5": dict(d_model=48, d_kv=10, num_heads=4, d_ff=80, num_layers=2, num_decoder_layers=3, vocab_size=301),
    "vit": dict(hidden_size=48, num_attention_heads=4, num_hidden_layers=2, intermediate_size=80, image_size=64,
                patch_size=8, encoder_stride=8, pooler_output_size=36),
}
HEAD_SIZES["megatron-bert"] = HEAD_SIZES["gpt_neox"] = HEAD_SIZES["bert"]
for name in ("llama", "mistral", "qwen2", "mixtral"):
    HEAD_SIZES[name] = dict(HEAD_SIZES["bert"], num_key_value_heads=2)


def written(model, architecture):
    """The config.json that save_pretrained writes for a model built in bfloat16."""
    config = model.config
    config.architectures = [architecture]
    config.dtype = "bfloat16"
    return json.loads(config.to_json_string())


def read_back(family, given):
    return CONFIG_MAPPING[family].from_dict(copy.deepcopy(given))


def main(path):
    cases = []

    def add(group, family, name, architecture, parameters, config):
        again, _ = count(architecture, read_back(family, config))
        assert again == parameters, (family, name, architecture, parameters, again)
        cases.append({"id": f"{family}/{group}/{name}/v{MAJOR}", "library": f"transformers {VERSION}",
                      "family": family, "architecture": architecture, "config": config, "parameters": parameters})

    for family, name, architecture, settings, published in KNOWN:
        parameters, model = count(architecture, CONFIG_MAPPING[family](**copy.deepcopy(settings)))
        if published is not None and parameters != published:
            sys.exit(f"{name}: {parameters} built, {published} published")
        add("known", family, name, architecture, parameters, written(model, architecture))

    for family in FAMILIES:
        rng = random.Random("reference " + family)
        for i in range(8 if MAJOR >= 5 else 3):
            settings, architecture = random_settings(family, rng)
            parameters, model = count(architecture, CONFIG_MAPPING[family](**copy.deepcopy(settings)))
            add("random", family, str(i), architecture, parameters, written(model, architecture))

    for family in FAMILIES if MAJOR >= 5 else []:  # version 4 has the same heads
        for architecture in classes_of(family):
            settings = dict(HEAD_SIZES[family], num_labels=7)
            parameters, model = count(architecture, CONFIG_MAPPING[family](**settings))
            add("heads", family, architecture, architecture, parameters, written(model, architecture))

    for family, name, architecture, given, majors in RAW:
        if MAJOR not in majors:
            continue
        config = dict(copy.deepcopy(given), model_type=family)
        parameters, _ = count(architecture, read_back(family, config))
        add("raw", family, name, architecture, parameters, config)

    if os.path.exists(path):
        with open(path) as file:
            cases += [case for case in json.load(file) if not case["id"].endswith(f"/v{MAJOR}")]
    cases.sort(key=lambda case: (case["id"].rsplit("/", 1)[1] == "v4", FAMILIES.index(case["family"])))
    with open(path, "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(case, sort_keys=False, separators=(",", ":")) for case in cases)
                   + "\n]\n")
    print(len(cases), "cases in", path)


if __name__ == "__main__":
    main(sys.argv[1])
