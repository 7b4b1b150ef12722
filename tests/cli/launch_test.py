"""Plans as launch files of other programs, and the way back from launch arguments."""
import json
import os
import pathlib
import re
import shlex
import subprocess
import tomllib

import phaze

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What the programs' own parsers say of their options, and of which version: made by tools/reference/launch_options.py.
KNOWN = json.loads((ROOT / "tests" / "reference" / "launch_options.json").read_text(encoding="utf-8"))
TORCHRUN = {"--nnodes", "--nproc-per-node"}

SETTING = ("--chip", "h100", "--cluster", "dgx-h100")
# A name, and what its plan is asked for: what a program can say, and what it cannot.
PLANS = {
    "plain": ("megatron-gpt2-xl", "--devices", "16", "--global-batch", "64", "--tensor", "2", "--pipeline", "2", "--data", "4",
              "--zero", "1", "--order", "tdp", "--recompute", "full", "--schedule", "1f1b"),
    "interleaved": ("megatron-gpt2-xl", "--devices", "16", "--global-batch", "64", "--tensor", "2", "--pipeline", "4",
                    "--data", "2", "--interleave", "2", "--zero", "0", "--order", "tpd", "--recompute", "none"),
    "uneven": ("megatron-gpt2-xl", "--devices", "16", "--global-batch", "64", "--tensor", "1", "--pipeline", "16", "--data", "1",
               "--schedule", "1f1b", "--recompute", "full", "--order", "tdp"),
    "sharded": ("llama3-8b", "--devices", "16", "--global-batch", "64", "--tensor", "2", "--pipeline", "1", "--data",
                "8", "--zero", "3", "--sequence-parallel", "on", "--order", "tdp"),
    "odd": ("qwen2.5-7b", "--devices", "9", "--global-batch", "16", "--tensor", "2", "--pipeline", "2", "--data", "2",
            "--schedule", "gpipe", "--order", "dtp", "--zero", "2", "--precision", "bf16", "--no-overlap"),
}


def bash_array(text, name):
    """The words of an array as Bash itself reads them."""
    script = text + f'\nprintf "%s\\0" "${{{name}[@]}}"\n'
    found = subprocess.run(["bash", "-c", script], capture_output=True, check=True, timeout=10)
    return found.stdout.decode().split("\0")[:-1]


def options_of(words):
    options, at = {}, None
    for word in words:
        if word.startswith("--"):
            at = options.setdefault(word, [])
        else:
            at.append(word)
    return options


def fault_of(program, name, value):
    """Why the program would not take it; nothing where it would."""
    known = KNOWN[program]["options"].get(name)
    if known is None:
        return f"{program} {KNOWN[program]['version']} has no {name}"
    if "choices" in known:
        return "" if value in known["choices"] else f"{name}: {value} is none of {known['choices']}"
    if known["type"] in ("int", "float"):
        try:
            {"int": int, "float": float}[known["type"]](value)
        except (TypeError, ValueError):
            return f"{name}: {value} is no {known['type']}"
    return "takes no value" if known["type"] == "flag" and value else ""


class Launch(phaze.Case):
    def plan(self, name):
        path = os.path.join(self.folder(), "plan.json")
        result = self.start(["place", *PLANS[name], *SETTING, "--output", path])
        self.assertIn(result.returncode, (0, 1), result.stderr)
        with open(path, encoding="utf-8") as file:
            return path, json.load(file)

    def export(self, path, target, *args):
        """The file and the warnings."""
        result = self.start(["export", path, "--to", target, *args])
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout.decode(), result.stderr.decode().splitlines()


class Export(Launch):
    def test_megatron_has_documented_options_only(self):
        for name in PLANS:
            with self.subTest(name):
                path, plan = self.plan(name)
                text, warnings = self.export(path, "megatron")
                options = options_of(bash_array(text, "MEGATRON_ARGS"))
                for option, values in options.items():
                    self.assertEqual(fault_of("megatron", option, values[0] if values else ""), "")
                self.assertEqual(options["--tensor-model-parallel-size"], [str(plan["tensor"])])
                self.assertEqual(options["--pipeline-model-parallel-size"], [str(plan["pipeline"])])
                self.assertEqual(options["--micro-batch-size"], [str(plan["microbatch"])])
                self.assertEqual(options["--global-batch-size"], [str(plan["global_batch"])])
                self.assertEqual("--sequence-parallel" in options, plan["sequence_parallel"])
                for warning in warnings:
                    self.assertIn("# " + warning.removeprefix("phaze: warning: "), text)
                self.assertEqual(text.count("# left out: "), len(warnings))

    def test_deepspeed_is_json_with_documented_keys(self):
        for name in PLANS:
            with self.subTest(name):
                path, plan = self.plan(name)
                text, warnings = self.export(path, "deepspeed")
                settings = json.loads(text)
                for key, value in settings.items():
                    if key == "_comment":  # ours, and DeepSpeed does not ask for it
                        continue
                    for name, each in value.items() if isinstance(value, dict) else ((None, value),):
                        self.assertEqual(fault_of("deepspeed", f"{key}.{name}" if name else key, each), "")
                if plan["pipeline"] > 1 and plan["zero"] > 1:  # its pipelines refuse to start with these
                    self.assertNotIn("zero_optimization", settings)
                    self.assertIn("pipelines have ZeRO 0 and 1 only", "\n".join(warnings))
                else:
                    self.assertEqual(settings["zero_optimization"]["stage"], plan["zero"])
                product = settings["train_micro_batch_size_per_gpu"] * settings["gradient_accumulation_steps"]
                self.assertEqual(settings["train_batch_size"], product * plan["data"])
                for warning in warnings:
                    self.assertIn(warning.removeprefix("phaze: warning: "), settings["_comment"])

    def test_torchtitan_is_toml_with_documented_keys(self):
        for name in PLANS:
            with self.subTest(name):
                path, plan = self.plan(name)
                text, warnings = self.export(path, "torchtitan")
                settings = tomllib.loads(text)
                for section, values in settings.items():
                    for key, value in values.items():
                        self.assertEqual(fault_of("torchtitan", f"{section}.{key}", value), "")
                parallel, training = settings["parallelism"], settings["training"]
                self.assertEqual(parallel["tensor_parallel_degree"], plan["tensor"])
                self.assertEqual(parallel["pipeline_parallel_degree"], plan["pipeline"])
                self.assertEqual(training["seq_len"], plan["sequence"])
                self.assertEqual(training["global_batch_size"], plan["global_batch"])
                is_split = plan["tensor"] > 1 or plan["pipeline"] > 1
                if plan["zero"] == 0 and is_split:  # torchtitan refuses to start, or computes in fp32
                    self.assertNotIn("mixed_precision_param", training)
                    self.assertIn("mixed precision", "\n".join(warnings))
                if plan["zero"] == 0 and is_split and plan["data"] > 1:
                    self.assertNotIn("data_parallel_replicate_degree", parallel)
                    self.assertIn("whole weights", "\n".join(warnings))
                elif plan["zero"] != 1:
                    width = parallel["data_parallel_replicate_degree"] * parallel["data_parallel_shard_degree"]
                    self.assertEqual(width, plan["data"])
                if plan["pipeline"] > 1:
                    parts = parallel["module_fqns_per_model_part"]
                    self.assertEqual(len(parts), plan["pipeline"] * plan["interleave"])
                    layers = [name for part in parts for name in part if name.startswith("layers.")]
                    self.assertEqual(layers, [f"layers.{i}" for i in range(len(layers))])
                    counted = sum(run["count"] for stage in plan["stages"] for run in stage["layers"]
                                  if run["name"] == "decoder")
                    self.assertEqual(len(layers), counted)
                for warning in warnings:
                    self.assertIn("# " + warning.removeprefix("phaze: warning: "), text)

    def test_every_name_in_the_sources_was_looked_up(self):
        """A new name needs another run of tools/reference/launch_options.py."""
        names = set()
        for file in (ROOT / "src" / "launch").glob("megatron*.cpp"):
            names |= set(re.findall(r'"(--[a-z0-9-]+)"', file.read_text(encoding="utf-8")))
        self.assertGreater(len(names), 100)
        self.assertEqual(names, set(KNOWN["megatron"]["options"]) | set(KNOWN["megatron"]["unknown"]))
        # Of no Megatron, or of one before: read where they are found, never written.
        self.assertEqual(set(KNOWN["megatron"]["unknown"]),
                         {"--devices", "--nnodes", "--nproc-per-node", "--use-custom-fsdp"})

    def test_models_that_megatron_does_not_train(self):
        for model in ("t5-large", "bert-large", "vit-l"):
            for stages in ("1", "2"):
                with self.subTest(model, stages=stages):
                    path = os.path.join(self.folder(), "plan.json")
                    self.start(["place", model, *SETTING, "--devices", "8", "--global-batch", "16", "--pipeline", stages,
                                "--output", path])
                    text, warnings = self.export(path, "megatron")
                    self.assertIn("the model's shape: pretrain_gpt.py", "\n".join(warnings))
                    self.assertNotIn("--num-layers", bash_array(text, "MEGATRON_ARGS"))
                    for target in ("deepspeed", "torchtitan"):
                        self.export(path, target)

    def test_sharded_weights_have_the_optimiser_that_knows_of_them(self):
        path, plan = self.plan("sharded")
        options = options_of(bash_array(self.export(path, "megatron")[0], "MEGATRON_ARGS"))
        self.assertEqual(plan["zero"], 3)
        self.assertIn("--use-distributed-optimizer", options)
        self.assertEqual(options["--data-parallel-sharding-strategy"], ["optim_grads_params"])

    def test_perfetto_is_the_trace_of_simulate(self):
        path, _ = self.plan("plain")
        trace = os.path.join(self.folder(), "trace.json")
        self.answer("simulate", path, "--trace", trace)
        with open(trace, encoding="utf-8") as file:
            self.assertEqual(self.answer("export", path, "--to", "perfetto"), file.read())

    def test_what_a_program_cannot_say_is_left_out_and_said(self):
        path, plan = self.plan("odd")
        self.assertEqual((plan["order"], plan["schedule"], plan["workload"]["precision"]), ("dtp", "gpipe", "bf16"))
        text, warnings = self.export(path, "megatron")
        said = "\n".join(warnings)
        for word in ("order of groups, dtp", "GPipe", "bf16", "idle devices: start it on 8 of the 9"):
            self.assertIn(word, said)
        options = options_of(bash_array(text, "MEGATRON_ARGS"))
        for absent in ("--use-tp-pp-dp-mapping", "--bf16", "--overlap-grad-reduce"):
            self.assertNotIn(absent, options)

    def test_batches_that_pipelines_do_not_share_evenly(self):
        # The original gives some pipelines one micro-batch more than others.
        path = os.path.join(self.folder(), "plan.json")
        plan = self.json("place", "bert-large", "--assumptions", "phaze2024", "--chip", "phaze-reference", "--devices",
                         "7", "--global-batch", "32", "--tensor", "1", "--pipeline", "1", "--data", "7", "--output",
                         path)
        self.assertNotEqual(32 % (plan["data"] * plan["microbatch"]), 0)
        for target in ("megatron", "deepspeed", "torchtitan"):
            _, warnings = self.export(path, target)
            self.assertIn("a batch of 32 is no multiple of the data width, 7", "\n".join(warnings), target)

    def test_output_file_and_json(self):
        path, _ = self.plan("plain")
        out = os.path.join(self.folder(), "args.sh")
        result = self.start(["export", path, "--to", "megatron", "-o", out, "--json"])
        self.assertEqual(result.returncode, 0)
        answer = json.loads(result.stdout)
        with open(out, encoding="utf-8") as file:
            self.assertEqual(answer["text"], file.read())
        self.assertEqual((answer["schema"], answer["target"]), (1, "megatron"))

    def test_refusals(self):
        path, _ = self.plan("plain")
        self.assertIn("did you mean megatron?", self.refusal("export", path, "--to", "megatrn"))
        self.assertIn("no/such", self.refusal("export", "no/such", "--to", "deepspeed"))
        self.assertIn("stages: have 40 layers, and model llama2-7b has 32",
                      self.refusal("export", path, "--to", "megatron", "--model", "llama2-7b"))
        self.assertIn("plan's own file", self.refusal("export", path, "--to", "deepspeed", "-o", path))

    def test_a_plan_that_does_not_say_how_it_trains(self):
        path, plan = self.plan("plain")
        plan["workload"]["precision"] = "fp64"
        message = self.refusal("export", self.file("plan.json", json.dumps(plan, indent=1)), "--to", "deepspeed")
        self.assertRegex(message, r"plan\.json:\d+:\d+: error: workload\.precision: expected one of mixed, bf16, fp32")
        del plan["workload"]
        text, warnings = self.export(self.file("plan.json", json.dumps(plan)), "megatron")
        self.assertIn("which its file does not say: taken as mixed", warnings[0])
        self.assertIn("--bf16", bash_array(text, "MEGATRON_ARGS"))
        self.assertEqual(self.start(["simulate", path]).returncode, 0)

    def test_names_from_a_file_stay_comments(self):
        path, plan = self.plan("plain")
        plan["model"] = "x\n)\nrm -rf '$(y)"
        evil = self.file("plan.json", json.dumps(plan))
        text, _ = self.export(evil, "megatron", "--model", "megatron-gpt2-xl")
        plain, _ = self.export(path, "megatron")
        self.assertEqual(bash_array(text, "MEGATRON_ARGS"), bash_array(plain, "MEGATRON_ARGS"))
        tomllib.loads(self.export(evil, "torchtitan")[0])
        json.loads(self.export(evil, "deepspeed")[0])


class From(Launch):
    SAME = ("iteration_s", "tensor", "sequence_parallel", "pipeline", "data", "microbatch", "interleave", "recompute",
            "zero", "schedule", "global_batch", "microbatches", "peak_memory_bytes", "breakdown", "devices")

    def test_an_exported_plan_comes_back(self):
        for name in ("plain", "interleaved", "uneven", "sharded"):
            path, plan = self.plan(name)
            args = os.path.join(self.folder(), "args.sh")
            self.start(["export", path, "--to", "megatron", "-o", args])
            devices = ("--devices", str(plan["devices"]))
            for model in ((PLANS[name][0],), ()):
                with self.subTest(name, model=model):
                    result = self.start(["place", *model, "--from", "megatron", "@" + args, *SETTING, *devices,
                                         "--json"])
                    self.assertEqual(result.returncode, 0 if plan["fits"] else 1, result.stderr)
                    back = json.loads(result.stdout)
                    self.assertEqual({key: back[key] for key in self.SAME}, {key: plan[key] for key in self.SAME})
                    layers = [[(run["name"], run["count"]) for run in stage["layers"]] for stage in back["stages"]]
                    self.assertEqual(layers, [[(run["name"], run["count"]) for run in stage["layers"]]
                                              for stage in plan["stages"]])
                    self.assertGreaterEqual(back["gain"], -1e-9)

    ARGS = ("torchrun --nnodes 2 --nproc_per_node=8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 "
            "--num-attention-heads 32 --ffn-hidden-size 11008 --swiglu --normalization RMSNorm --disable-bias-linear "
            "--position-embedding-type rope --seq-length 4096 --max-position-embeddings 4096 --vocab-size 32000 --make-vocab-size-divisible-by 1 "
            "--untie-embeddings-and-output-weights --attention-dropout 0 --hidden-dropout 0 --bf16 "
            "--tensor-model-parallel-size 4 --pipeline-model-parallel-size 2 --micro-batch-size 1 "
            "--global-batch-size 64 --use-distributed-optimizer --lr 3e-4 --tp-comm-overlap")

    def test_arguments_by_hand(self):
        result = self.start(["place", "--from", "megatron", self.ARGS, *SETTING, "--json"])
        self.assertEqual(result.returncode, 0, result.stderr)
        plan = json.loads(result.stdout)
        self.assertEqual((plan["devices"], plan["tensor"], plan["pipeline"], plan["data"], plan["zero"]),
                         (16, 4, 2, 2, 1))
        self.assertFalse(plan["workload"]["overlap"])
        self.assertGreater(plan["gain"], 0)
        low, high = plan["iteration_range_s"]
        self.assertTrue(low < plan["iteration_s"] < high, plan["iteration_range_s"])
        self.assertAlmostEqual(plan["iteration_s"] / plan["best"]["iteration_s"] - 1, plan["gain"])
        notes = result.stderr.decode().splitlines()
        self.assertEqual(len([note for note in notes if "--lr" in note]), 1)
        self.assertIn("not known here: --tp-comm-overlap", result.stderr.decode())
        # The best plan is the one that place finds for the same model.
        best = self.json("place", "llama2-7b", *SETTING, "--devices", "16", "--global-batch", "64", "--no-overlap")
        self.assertAlmostEqual(plan["best"]["iteration_s"], best["iteration_s"], places=12)

    def test_contradictions_have_their_place(self):
        def refuse(change, *more):
            return self.refusal("place", "--from", "megatron", f"{self.ARGS} {change}", *SETTING, *more)

        self.assertRegex(refuse("--fp16"), r"--from:1:\d+: error: --fp16: contradicts --bf16")
        self.assertIn("--tensor-model-parallel-size: is there twice", refuse("--tensor-model-parallel-size 8"))
        self.assertIn("--context-parallel-size: other than 1 has no price", refuse("--context-parallel-size 2"))
        self.assertIn("--hybrid-layer-pattern: has no price", refuse("--hybrid-layer-pattern M*M-"))
        self.assertIn("--moe-layer-freq: other than 1 has no price", refuse("--moe-layer-freq [0,1]"))
        self.assertIn("--expert-tensor-parallel-size: other than", refuse("--expert-tensor-parallel-size 1"))
        self.assertIn("--recompute-method: expected uniform or block", refuse("--recompute-granularity full"))
        self.assertIn("--tensor: means nothing beside --from", refuse("", "--tensor", "4"))
        self.assertIn("--devices: expected at least the 16 devices", refuse("", "--devices", "8"))
        self.assertIn("has 31 layers; the model has 32",
                      refuse("--pipeline-model-parallel-layout 'Et*16|t*15L'"))
        self.assertIn("the shell's variable", refuse("--num-virtual-stages-per-pipeline-rank $VPP"))
        self.assertIn("this quote has no end", refuse("--data-path 'x"))
        self.assertIn("--seqence-parallel: is not known; did you mean --sequence-parallel?",
                      refuse("--seqence-parallel"))
        path = self.file("job.txt", self.ARGS)
        self.assertIn("--output: is the job's own file",
                      self.refusal("place", "--from", "megatron", "@" + path, *SETTING, "--output", path))

    def test_a_model_is_not_contradicted(self):
        def refuse(model):
            return self.refusal("place", model, "--from", "megatron", self.ARGS, *SETTING)

        self.assertEqual(self.start(["place", "llama2-7b", "--from", "megatron", self.ARGS, *SETTING]).returncode, 0)
        message = refuse("llama2-13b")
        for name in ("--num-layers: 32 contradicts MODEL, which has 40",
                     "--hidden-size: 4096 contradicts MODEL, which has 5120",
                     "--num-attention-heads: 32 contradicts MODEL, which has 40"):
            self.assertIn(name, message)

    def test_what_is_missing_is_said(self):
        message = self.refusal("place", "--from", "megatron", "--bf16 --micro-batch-size 1", *SETTING)
        self.assertIn("how many devices there are is not said", message)
        message = self.refusal("place", "--from", "megatron", "--micro-batch-size 1", "--devices", "8", *SETTING)
        for name in ("--num-layers", "--hidden-size", "--num-attention-heads", "--vocab-size", "--seq-length"):
            self.assertIn(f"{name}: is missing", message)
        self.assertIn("expected megatron", self.refusal("place", "--from", "nemo", "x", *SETTING))

    def test_a_plan_that_does_not_fit_is_priced(self):
        args = shlex.join(["--micro-batch-size", "1", "--global-batch-size", "16", "--bf16"])
        result = self.start(["place", "gpt3-175b", "--from", "megatron", args, "--devices", "16", *SETTING, "--json"])
        self.assertEqual(result.returncode, 1)
        self.assertFalse(json.loads(result.stdout)["fits"])


if __name__ == "__main__":
    phaze.main()
