#!/usr/bin/env python3
"""Holds what src/launch writes and reads against the real programs; writes tests/reference/launch_options.json.

Needs the sources of the programs (a source package of megatron-core from 0.17 on has Megatron-LM's training/ too;
deepspeed; the last torchtitan that reads TOML) and what they import: torch, pydantic, tyro, psutil, hjson. No device.

    python launch_options.py MEGATRON DEEPSPEED TORCHTITAN tests/reference/launch_options.json
    python launch_options.py MEGATRON DEEPSPEED TORCHTITAN --check FOLDER

The first form records, for each name in src/launch, what the program's own parser says of it: whether it is a flag,
its type, its choices. Names that the parser does not know are "unknown": of older versions, of torchrun, or ours.
The second form takes FOLDER/NAME.json, a plan, with the files NAME.megatron, NAME.deepspeed and NAME.torchtitan that
`phaze export` made of it, and lets the programs read these and check them as they do at a start.
"""
import argparse
import contextlib
import dataclasses
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tomllib
import typing
import unittest.mock
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
TO_ADD = ["--tokenizer-type", "NullTokenizer", "--train-iters", "1", "--lr", "1e-4"]  # a launch file leaves these out


def version_of(folder, name):
    text = (pathlib.Path(folder) / name).read_text(encoding="utf-8")
    return re.search(r"^Version: (\S+)", text, re.M).group(1)


class Megatron:
    def __init__(self, folder):
        sys.path.insert(0, folder)
        from megatron.training import arguments

        self.arguments = arguments
        self.version = version_of(folder, "PKG-INFO")

    def parser(self):
        parser = argparse.ArgumentParser(allow_abbrev=False)
        self.arguments.add_megatron_arguments(parser)
        return parser

    def record(self):
        names = set()
        for file in sorted((ROOT / "src" / "launch").glob("megatron*.cpp")):
            names |= set(re.findall(r'"(--[a-z0-9-]+)"', file.read_text(encoding="utf-8")))
        actions = {name: action for action in self.parser()._actions for name in action.option_strings}
        options = {}
        for name in sorted(names & set(actions)):
            action = actions[name]
            if action.choices:
                options[name] = {"choices": [getattr(each, "name", each) for each in action.choices]}
            elif action.nargs == 0:
                options[name] = {"type": "flag"}
            else:
                options[name] = {"type": getattr(action.type, "__name__", "str") if action.type else "str"}
        return {"version": self.version, "options": options, "unknown": sorted(names - set(actions))}

    def check(self, path, plan):
        script = path.read_text(encoding="utf-8") + '\nprintf "%s\\0" "${MEGATRON_ARGS[@]}"'
        words = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.split("\0")[:-1]
        if "--num-layers" not in words:
            return "no shape: parsed only" if self.parser().parse_args(words) else ""
        os.environ["CUDA_DEVICE_MAX_CONNECTIONS"] = "8" if "--use-megatron-fsdp" in words else "1"
        args = self.parser().parse_args(words + TO_ADD)
        args.rank, args.world_size = 0, plan["tensor"] * plan["pipeline"] * plan["data"]
        with unittest.mock.patch.object(self.arguments, "get_device_arch_version", lambda: 9):
            self.arguments.validate_args(args)
        assert args.data_parallel_size == plan["data"]
        assert (args.virtual_pipeline_model_parallel_size or 1) == plan["interleave"] or plan["pipeline"] == 1
        return "validated"


class DeepSpeed:
    def __init__(self, folder):
        os.environ["DS_ACCELERATOR"] = "cpu"
        sys.path.insert(0, folder)
        import deepspeed.comm
        from deepspeed.runtime import config, constants, precision_config
        from deepspeed.runtime.zero.config import DeepSpeedZeroConfig

        self.comm, self.config, self.constants = deepspeed.comm, config, constants
        self.maps = {"zero_optimization": DeepSpeedZeroConfig, "bf16": precision_config.DeepSpeedBF16Config}
        self.version = version_of(folder, "PKG-INFO")

    def record(self):
        known = {value for value in vars(self.constants).values() if isinstance(value, str)}
        options = {name: {"type": "int"} for name in
                   ("train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps") if name in known}
        for name, model in self.maps.items():
            for field, info in model.model_fields.items():
                if field in ("stage", "overlap_comm", "enabled"):
                    options[f"{name}.{field}"] = {"type": str(getattr(info.annotation, "__name__", info.annotation))}
        if {"data_types", "grad_accum_dtype"} <= known:
            options["data_types.grad_accum_dtype"] = {"type": "str"}
        return {"version": self.version, "options": options}

    def check(self, path, plan):
        class Script:  # which widths there are is the training script's
            def get_data_parallel_world_size(self):
                return plan["data"]

        with unittest.mock.patch.object(self.comm, "get_rank", lambda *_: 0), \
                unittest.mock.patch.object(self.comm, "get_world_size", lambda *_: 1):
            read = self.config.DeepSpeedConfig(json.loads(path.read_text(encoding="utf-8")), mpu=Script())
        assert read.train_batch_size == plan["global_batch"]
        assert read.gradient_accumulation_steps == plan["microbatches"]
        assert read.zero_optimization_stage == (0 if plan["pipeline"] > 1 and plan["zero"] > 1 else plan["zero"])
        return "read"


class Torchtitan:
    def __init__(self, folder):
        sys.path.insert(0, folder)
        from torchtitan.config import ConfigManager, job_config

        self.manager, self.job = ConfigManager, job_config.JobConfig
        self.version = version_of(next(pathlib.Path(folder).glob("torchtitan-*.dist-info")), "METADATA")

    def record(self):
        options = {}
        for section in ("training", "parallelism", "activation_checkpoint"):
            for name, kind in typing.get_type_hints(typing.get_type_hints(self.job)[section]).items():
                if f'"{name}"' in (ROOT / "src/launch/torchtitan.cpp").read_text(encoding="utf-8"):
                    is_choice = typing.get_origin(kind) is typing.Literal
                    options[f"{section}.{name}"] = (
                        {"choices": list(typing.get_args(kind))} if is_choice
                        else {"type": getattr(kind, "__name__", str(kind)) if isinstance(kind, type) else str(kind)})
        return {"version": self.version, "options": options}

    def check(self, path, plan):
        values = tomllib.loads(path.read_text(encoding="utf-8"))
        for section, settings in values.items():
            hints = typing.get_type_hints(typing.get_type_hints(self.job)[section])
            for name, value in settings.items():
                choices = typing.get_args(hints[name]) if typing.get_origin(hints[name]) is typing.Literal else None
                assert choices is None or value in choices, (section, name, value)
        manager = self.manager()
        job = manager.parse_args([f"--job.config_file={path}"])
        assert job.training.seq_len == plan["sequence"] and dataclasses.is_dataclass(job)
        assert job.parallelism.tensor_parallel_degree == plan["tensor"]
        return "read"


def main():
    warnings.simplefilter("ignore")
    programs = {"megatron": Megatron(sys.argv[1]), "deepspeed": DeepSpeed(sys.argv[2]),
                "torchtitan": Torchtitan(sys.argv[3])}
    if sys.argv[4] != "--check":
        recorded = {name: program.record() for name, program in programs.items()}
        pathlib.Path(sys.argv[4]).write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")
        return 0
    faults = 0
    for plan_path in sorted(pathlib.Path(sys.argv[5]).glob("*.json")):
        plan = json.loads(plan_path.read_text(encoding="utf-8"))
        for name, program in programs.items():
            path = plan_path.with_suffix("." + name)
            try:
                with contextlib.redirect_stdout(io.StringIO()):  # they print all that they read
                    answer = program.check(path, plan)
                print(f"{path.name}: {answer}")
            except (Exception, SystemExit) as fault:  # whatever a parser does to say no
                faults += 1
                print(f"{path.name}: {type(fault).__name__}: {fault}")
    print(f"{faults} faults; " + ", ".join(f"{name} {program.version}" for name, program in programs.items()))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
