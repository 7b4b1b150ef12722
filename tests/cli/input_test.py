"""Models that come from files: what is accepted, and how the rest is refused."""
import json
import os
import unittest

import phaze
from phaze import config


class Accepted(phaze.Case):
    def test_the_ways_of_writing_a_file(self):
        expected = self.answer("graph", "-", stdin=config())
        indented = json.dumps(phaze.LLAMA, indent=2)
        yaml = "# by hand\n" + "".join(f"{key}: {value}\n" for key, value in phaze.LLAMA.items())
        for name, text in {
            "byte order mark": b"\xef\xbb\xbf" + config().encode(),
            "CRLF": indented.replace("\n", "\r\n"),
            "CR": indented.replace("\n", "\r"),
            "tabs": json.dumps(phaze.LLAMA, indent="\t"),
            "YAML": yaml,
            "YAML with CRLF": yaml.replace("\n", "\r\n"),
            "YAML with an alias": yaml.replace("hidden_size: 32", "n: &n 32\nhidden_size: *n"),
            "YAML document": "---\n" + yaml + "...\n",
        }.items():
            with self.subTest(name):
                self.assertEqual(self.answer("graph", "-", stdin=text), expected)

    def test_config_as_transformers_writes_it(self):
        text = json.dumps(
            {
                "_name_or_path": "meta-llama/Llama-2-7b-hf",
                "architectures": ["LlamaForCausalLM"],
                "attention_bias": False,
                "attention_dropout": 0.0,
                "bos_token_id": 1,
                "eos_token_id": [2, 3],
                "hidden_act": "silu",
                "initializer_range": 0.02,
                "pretraining_tp": 1,
                "rms_norm_eps": 1e-05,
                "rope_scaling": None,
                "rope_theta": 10000.0,
                "torch_dtype": "float16",
                "transformers_version": "4.41.0.dev0",
                "use_cache": True,
                **phaze.LLAMA,
            },
            indent=2,
        )
        path = self.file("config.json", text)
        self.assertEqual(self.json("graph", path)["layers"], self.json("graph", os.path.dirname(path))["layers"])

    def test_a_config_is_called_after_its_folder(self):
        path = os.path.join(self.folder(), "my-model")
        os.mkdir(path)
        with open(os.path.join(path, "config.json"), "w", encoding="utf-8") as out:
            out.write(config())
        self.assertEqual(self.json("graph", path)["name"], "my-model")
        self.assertEqual(self.json("graph", path + "/")["name"], "my-model")

    def test_a_file_may_be_called_anything(self):
        for name in ("a b.json", "é.json", "<b>&'\".json", "x\ny.json", "-", "llama2-7b"):
            with self.subTest(name):
                path = self.file(name, config())
                self.assertEqual(self.json("graph", path)["schema"], 1)
                self.answer("graph", path)
                self.answer("graph", path, "--dot")

    def test_any_characters_in_names(self):
        graph = {
            "schema": 1,
            "name": "\U0001f600 \u00e9 \\ud83d",
            "layers": [
                {
                    "name": "\U0001f600",
                    "tensors": [{"name": "x", "shape": [2], "role": "input"}, {"name": "y", "shape": [2]}],
                    "operators": [{"name": "\u0000\t\u2028", "kind": "relu", "inputs": ["x"], "outputs": ["y"]}],
                }
            ],
        }
        for is_ascii in (True, False):
            read = self.json("graph", "-", "--forward", stdin=json.dumps(graph, ensure_ascii=is_ascii))
            self.assertEqual(read["name"], graph["name"])
            self.assertEqual(read["layers"][0]["name"], "\U0001f600")
            self.assertEqual(read["layers"][0]["operators"][0]["name"], "\u0000\t\u2028")
        self.assertIn("not valid JSON", self.refusal_of('{"a": "\\ud83d"}'))

    def test_what_a_null_means(self):
        self.assertEqual(
            self.json("graph", "-", stdin=config().replace("2, \"max", "null, \"max"))["parameters"],
            self.json("graph", "-", stdin=config(num_key_value_heads=4))["parameters"],
        )


class Refused(phaze.Case):
    def test_where_there_is_no_model(self):
        folder = self.folder()
        for path, message in [
            ("nosuch.json", "nosuch.json: error: no such file"),
            ("nosuch/file", "nosuch/file: error: no such file"),
            (folder, f"{folder}: error: is a folder without config.json"),
            ("/dev/null", "/dev/null: error: is empty"),
            ("/dev/zero", "/dev/zero: error: is larger than"),
            ("/proc/self/mem", "/proc/self/mem: error: cannot be read"),
            ("", 'called ""'),
            ("model.onnx", "model.onnx: error: ONNX files cannot be read yet; give a config.json or a graph file"),
            ("x" * 5000, "no built-in model and no file"),
            ("x" * 5000 + ".json", "no such file"),
        ]:
            with self.subTest(path[:20]):
                self.assertIn(message, self.refusal("graph", path))
        self.assertIn("ONNX", self.refusal("graph", self.file("there.onnx", b"\x08\x07")))

    @unittest.skipIf(os.geteuid() == 0, "root reads everything")
    def test_unreadable_file(self):
        path = self.file("config.json", config())
        os.chmod(path, 0)
        self.assertIn("cannot be read", self.refusal("graph", path))

    def test_what_is_no_text(self):
        for name, text in {
            "zeros": b"\0" * 100,
            "program": b"\x7fELF\x02\x01\x01\0\0\0",
            "UTF-16": config().encode("utf-16"),
            "UTF-32": config().encode("utf-32"),
            "zero inside": config().encode() + b"\0",
        }.items():
            with self.subTest(name):
                self.assertIn("standard input: error: expected text, found binary data", self.refusal_of(text))
        for name, (text, place) in {
            "Latin-1": (b"model_type: llama\nnote: caf\xe9\n", "2:10"),
            "surrogate": (b'{"a": "\xed\xa0\x80"}', "1:8"),
            "too long": (b'{"a": "\xc0\xaf"}', "1:8"),
            "cut off": (b"a: \xf0\x9f\x98", "1:4"),
        }.items():
            with self.subTest(name):
                self.assertIn(f"standard input:{place}: error: expected UTF-8", self.refusal_of(text))

    def test_empty(self):
        for text in (b"", b"  \n\n", b"# only a comment\n", b"\xef\xbb\xbf", b"\r\n\r\n"):
            with self.subTest(text):
                self.assertEqual(self.refusal_of(text), "standard input: error: is empty\n")

    def test_what_is_no_configuration(self):
        for text, found in [("hello", 'the text "hello"'), ("[1, 2]", "a list of 2"), ("null", "null"), ("3", "3")]:
            with self.subTest(text):
                message = self.refusal_of(text)
                self.assertIn("standard input:1:1: error: expected a model configuration", message)
                self.assertIn(f"found {found}\n", message)
        self.assertIn("model_type: this key is required; known families: bert,", self.refusal_of("{}"))

    def test_syntax(self):
        for text in (
            config()[:40],
            '{"a": "b',
            '{"a" "b"}',
            "a: b: c",
            "\ta: b",
            "[1, 2",
            "*nothing",
            "%YAML 9.9\n---\na: b",
            '"' * 1001,
            "{?" * 1000,
            ": " * 1000,
            "!" * 1000,
        ):
            with self.subTest(text[:20]):
                self.assertRegex(self.refusal_of(text), r"\Astandard input:\d+:\d+: error: ")

    def test_more_than_one_document(self):
        for text in (config() + " x", config() + "\n---\n" + config(), "{}{}", "{a: b}, c", '{"a": 1}: [, "b"]'):
            with self.subTest(text[-10:]):
                self.assertRegex(self.refusal_of(text), r"\Astandard input:\d+:\d+: error: ")

    def test_yaml_that_would_be_lost_in_silence(self):
        base = "model_type: llama\n"
        for text, message in [
            ("b: &b {hidden_size: 64}\n<<: *b\n", "3:1: error: merge keys"),
            ("hidden_size: !!str 64\n", "tags are not supported"),
            ("hidden_size: !mine 64\n", "hidden_size: YAML tags are not supported, found !mine"),
            ("hidden_size: 064\n", "hidden_size: expected a whole number from 1 to 1,048,576, found 064"),
            ("? [a, b]\n: 3\n", "expected a key that is text"),
            ("model_type: gpt2\n", "model_type: this key is given twice"),
        ]:
            with self.subTest(text):
                self.assertIn(message, self.refusal_of(base + text))

    def test_numbers(self):
        for value in (
            "NaN", ".nan", "Infinity", "-Infinity", "1e400", "-1e400", "64.0", "1e3", "0x40", "-64", "0", '"64"',
            "true", "[]", "{}", "99999999999999999999", "9223372036854775807", "-9223372036854775808",
            "1" * 10000, "0." + "0" * 10000 + "1", "+-5", "1_000", "6:40", "1048577",
        ):  # fmt: skip
            with self.subTest(value[:20]):
                text = f'{{"model_type": "llama",\n "hidden_size": {value}}}'
                message = self.refusal_of(text)
                self.assertRegex(message, r"\Astandard input:2:17: error: hidden_size: expected a whole number")
                self.assertLess(len(message), 200)
        for value in ("NaN", "-0.1", "1.1", '"0.1"', "true", "1e400"):
            with self.subTest(value):
                message = self.refusal_of(config()[:-1] + f', "attention_dropout": {value}}}')
                self.assertIn("attention_dropout: expected a number from 0 to 1", message)

    def test_all_faults_at_once_each_with_its_place(self):
        path = self.file(
            "config.json",
            '{\n "model_type": "llama",\n "hidden_size": "big",\n "num_attention_heads": 0,\n'
            ' "vocab_sise": 3,\n "hidden_act": "swosh",\n "attention_bias": 1\n}\n',
        )
        lines = self.refusal("graph", path).splitlines()
        self.assertEqual(len(lines), 6, lines)
        for line, (place, key, words) in zip(
            sorted(lines[:5]),
            [
                ("3:17", "hidden_size", 'found the text "big"'),
                ("4:25", "num_attention_heads", "found 0"),
                ("5:16", "vocab_sise", "did you mean vocab_size?"),
                ("6:16", "hidden_act", 'unknown activation "swosh"; did you mean swish?'),
                ("7:20", "attention_bias", "expected true or false, found 1"),
            ],
        ):
            self.assertTrue(line.startswith(f"{path}:{place}: error: {key}: "), line)
            self.assertIn(words, line)
        self.assertEqual(lines[5], "5 errors")

    def test_names_that_are_nearly_right(self):
        for changes, words in [
            ({"model_type": "lama"}, 'unknown family "lama"; did you mean llama? (known: '),
            ({"architectures": ["LlamaForCausalLm"]}, "did you mean LlamaForCausalLM?"),
            ({"hiden_size": 64, "hidden_size": None}, "hiden_size: unknown key; did you mean hidden_size?"),
            ({"hidden_act": "gelu_newer"}, "did you mean gelu_new?"),
        ]:
            with self.subTest(changes):
                self.assertIn(words, self.refusal_of(config(**changes)))

    def test_sizes_that_do_not_fit(self):
        for changes, words in [
            ({"num_attention_heads": 5}, "num_attention_heads: expected a divisor of the hidden size 32, found 5"),
            ({"num_key_value_heads": 3}, "num_key_value_heads: expected a divisor"),
            ({"hidden_size": 1 << 20, "head_dim": 1 << 20, "num_attention_heads": 1 << 16,
              "num_key_value_heads": 1}, "parameters, more than can be meant"),
            ({"model_type": "mixtral", "num_experts_per_tok": 9}, "at most the number of experts"),
            ({"model_type": "mixtral", "hidden_size": 1 << 20, "intermediate_size": 1 << 24,
              "num_local_experts": 1 << 16}, "parameters, more than can be meant"),
        ]:  # fmt: skip
            with self.subTest(changes):
                self.assertIn(words, self.refusal_of(config(**changes)))

    def test_the_largest_sizes_that_are_read(self):
        self.answer("graph", "-", stdin=config(num_hidden_layers=10000))
        self.answer("graph", "-", "--sequence", str(1 << 30), stdin=config(max_position_embeddings=1 << 30))
        self.answer("graph", "-", stdin=config(vocab_size=1 << 28))
        self.answer("graph", "-", stdin=config(num_attention_heads=1 << 16, hidden_size=1 << 17))


class Hostile(phaze.Case):
    """Every one is refused in time and within the memory that phaze.Case allows."""

    def test_nesting(self):
        deep = 100_000
        for name, text in {
            "lists": '{"model_type": "llama", "x": ' + "[" * deep + "]" * deep + "}",
            "open maps": '{"a":' * deep,
            "dashes": "- " * deep,
            "questions": "? " * deep,
            "indented": "".join(" " * i + "a:\n" for i in range(2000)),
            "just too deep": '{"model_type": "llama", "x": ' + "[" * 101 + "]" * 101 + "}",
        }.items():
            with self.subTest(name):
                self.assertIn("nested deeper than 100 values", self.refusal_of(text))
        self.answer("graph", "-", stdin=config()[:-1] + ', "x": ' + "[" * 99 + "]" * 99 + "}")

    def test_alias_bombs(self):
        nine = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(
            f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12)
        )
        nested = "".join(f"&b{i} [" for i in range(90)) + "1," * 50_000 + "]" * 90
        for name, text in {"nine times nine": nine, "anchors in anchors": nested}.items():
            with self.subTest(name):
                self.assertIn("aliases repeat more than the whole text", self.refusal_of(text))
        for text in ("&a [*a]", "&a {model_type: llama, x: *a}"):
            with self.subTest(text):
                self.assertIn("an alias stands within its own value", self.refusal_of(text))

    def test_size(self):
        for name, text in {
            "values": "[" + "1," * 2_000_000 + "1]",
            "lines": "- 1\n" * 1_100_000,
            "maps": "[" + "{a}," * 1_100_000 + "1]",
            "bytes": " " * ((64 << 20) + 1),
        }.items():
            with self.subTest(name):
                self.assertRegex(self.refusal_of(text), "holds more than 1,000,000 values|is larger than 64 MiB")
        for name, text in {
            "keys": "{" + ",".join(f'"hidden_{"x" * 60}{i}":1' for i in range(50_000)) + "}",
            "long paths": "".join('{"%s":' % ("k" * 900) for _ in range(90)) + "[" + "1," * 50_000 + "1]" + "}" * 90,
            "same key": "a: 1\n" * 50_000,
            "long key": '{"' + "k" * 1_000_000 + '": 1}',
            "long word": "x" * 5_000_000,
        }.items():
            with self.subTest(name):
                self.assertLess(len(self.refusal_of(text)), 20_000)

    def test_every_cut_of_a_file(self):
        text = json.dumps(phaze.LLAMA, indent=1)
        for end in range(0, len(text) - 2):
            with self.subTest(end):
                self.refusal_of(text[:end])

    def test_every_byte_changed(self):
        text = config().encode()
        for at in range(0, len(text), 7 if phaze.IS_SANITIZED else 3):
            for byte in (0x00, 0x0A, 0x22, 0x2A, 0x3A, 0x7B, 0xFF):
                changed = text[:at] + bytes([byte]) + text[at + 1 :]
                with self.subTest(at=at, byte=byte):
                    result = self.start(["graph", "-"], changed)
                    self.assertEqual(result.returncode == 0, result.stderr == b"")

    def test_long_words_are_cut_between_characters(self):
        for at in range(4):
            word = "x" * at + "\u20ac" * 50  # three bytes each
            self.assertIn("...", self.refusal_of(config(model_type=word)))
            self.assertIn("...", self.refusal_of(config(hidden_size=word)))
            self.assertIn("...", self.refusal_of(config(architectures=[word])))
            self.assertIn("...", self.refusal_of(json.dumps({word: {word: {word: {}}}, "schema": 1, "layers": []}).replace("{}", "!x 1")))

    def test_names_with_markup(self):
        text = config(architectures=["<script>alert(1)</script>\u001b[31m\u202e"])
        self.assertIn(r"<script>alert(1)</script>\x1b[31m", self.refusal_of(text))


if __name__ == "__main__":
    phaze.main()
