"""Runs the program that the environment variable PHAZE names, and holds every run to the contract."""
import json
import os
import re
import resource
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get("PHAZE", "build/phaze")
# Sanitizers are slow and reserve terabytes of addresses.
IS_SANITIZED = bool(os.environ.get("PHAZE_SANITIZE"))
SECONDS = 60 if IS_SANITIZED else 30
MOST_MEMORY = 1 << 30

LLAMA = {
    "model_type": "llama",
    "vocab_size": 96,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 64,
}


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


PROGRESS = re.compile(rb"^phaze: .*; \d+ s\n", re.MULTILINE)


class Case(unittest.TestCase):
    maxDiff = 4000

    def start(self, args, stdin=b"", **options):
        """Any run: it ends in time, within its memory, with an exit code of the contract."""
        if isinstance(stdin, str):
            stdin = stdin.encode()
        options.setdefault("stdout", subprocess.PIPE)
        result = subprocess.run(
            [PROGRAM, *args],
            input=stdin,
            stderr=subprocess.PIPE,
            timeout=SECONDS,
            preexec_fn=None if IS_SANITIZED else limit_memory,
            **options,
        )
        self.assertIn(result.returncode, (0, 1, 2), f"{args}: {result.stderr.decode(errors='replace')}")
        return result

    def answer(self, *args, stdin=b"", **options):
        """A run that must succeed: its output. Nothing else is said but how far it is, on slow machines."""
        result = self.start(args, stdin, **options)
        said = PROGRESS.sub(b"", result.stderr)
        self.assertEqual((result.returncode, said), (0, b""), args)
        return result.stdout.decode()

    def json(self, *args, stdin=b""):
        return json.loads(self.answer(*args, "--json", stdin=stdin))

    def refusal(self, *args, stdin=b"", **options):
        """A run that must fail: its message. It is fit for a terminal and stands on standard error alone."""
        result = self.start(args, stdin, **options)
        self.assertEqual((result.returncode, result.stdout), (2, b""), args)
        message = result.stderr.decode()  # raises when it is not UTF-8
        self.assertRegex(message, r"\A[^\n]+\n", "a message ends its line")
        self.assertNotRegex(message, r"[\x00-\x09\x0b-\x1f\x7f]", "no control characters")
        return message

    def refusal_of(self, text, *args):
        """The message about a model that comes by standard input."""
        return self.refusal("graph", "-", *args, stdin=text)

    def folder(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return folder.name

    def file(self, name, contents):
        path = os.path.join(self.folder(), name)
        with open(path, "wb") as out:
            out.write(contents if isinstance(contents, bytes) else contents.encode())
        return path


def commands():
    text = subprocess.run([PROGRAM, "--help"], capture_output=True, timeout=SECONDS, check=True).stdout.decode()
    return re.findall(r"^  (\w+) ", text.split("Subcommands:")[1], re.M)


def config(**changes):
    """A small configuration as text; a value of None takes the key out."""
    merged = {**LLAMA, **changes}
    return json.dumps({key: value for key, value in merged.items() if value is not None})


main = unittest.main
