"""The command line itself: commands, options, help, exit codes."""
import json
import re

import phaze


class Options(phaze.Case):
    def test_version(self):
        self.assertRegex(self.answer("--version"), r"\Aphaze \d+\.\d+\.\d+\n\Z")

    def test_help_lists_the_commands(self):
        text = self.answer("--help")
        for command in ("models", "graph"):
            self.assertRegex(text, rf"\n  {command} +\S")
        self.assertIn("Exit codes: 0 ", text)

    def test_help_explains_every_option_with_its_default(self):
        for command in phaze.commands():
            with self.subTest(command):
                text = self.answer(command, "--help")
                self.assertEqual(text, self.answer(command, "-h"))
                options = text.split("Options:")[1].split("Exit codes")[0]
                entries = re.findall(r"^  (?:-\w,)?(--[\w-]+)((?:.|\n(?!  -))*)", options, re.M)
                names = [name for name, _ in entries]
                self.assertIn("--json", names)
                self.assertIn("--threads", names)
                for name, meaning in entries:
                    self.assertRegex(meaning, r"\w+ \w+", f"{name} is explained")
                    takes_value = re.match(r" [A-Z]{3}", meaning) and "..." not in meaning
                    if takes_value and "REQUIRED" not in meaning:
                        self.assertRegex(meaning, r"\(default: ", f"{name} says its default")

    def test_help_of_graph_names_all_of_the_contract(self):
        text = self.answer("graph", "--help")
        for option in ("sequence", "microbatch", "tensor", "attention", "execution", "dot", "json", "threads"):
            self.assertIn(f"--{option} ", text)
        self.assertIn("Tokens per sequence", text)
        self.assertIn("(default: flash)", text)

    def test_a_command_is_needed(self):
        self.assertIn("expected a command (commands: models, graph", self.refusal())
        self.assertIn('before "--threads"', self.refusal("--threads", "1"))
        self.assertIn('"--json" before the command', self.refusal("--json", "models"))

    def test_misspelt_names_get_the_nearest(self):
        for args, name in [
            (["grph"], "graph"),
            (["model"], "models"),
            (["--versoin"], "--version"),
            (["graph", "llama2-7b", "--sequnce", "8"], "--sequence"),
            (["graph", "llama2-7b", "--sequnce=8"], "--sequence"),
            (["models", "--jsn"], "--json"),
            (["graph", "llama2-7"], "llama2-7b"),
            (["graph", "LLaMA2-7B"], "llama2-7b"),
            (["graph", "llama2-7b", "--attention", "flsh"], "flash"),
            (["graph", "llama2-7b", "--execution", "fusd"], "fused"),
            (["graph", "llama2-7b", "--precision", "b16"], "bf16"),
            (["graph", "llama2-7b", "--optimizer", "adm"], "adam"),
            (["graph", "llama2-7b", "--recompute", "selectiv"], "selective"),
            (["graph", "llama2-7b", "--fusion", "elementwize"], "elementwise"),
            (["chip", "tpu4"], "tpuv4"),
            (["chip", "h100", "--technology", "modrn"], "modern"),
            (["cluster", "dgx-h10"], "dgx-h100"),
        ]:
            with self.subTest(args):
                self.assertIn(f"did you mean {name}?", self.refusal(*args))

    def test_a_name_that_is_far_away_gets_the_list(self):
        self.assertIn("(commands: models, graph", self.refusal("search-all"))
        self.assertIn("`phaze models` lists them", self.refusal("graph", "gpt9"))
        self.assertIn("expected flash or eager, found", self.refusal("graph", "llama2-7b", "--attention", "x"))

    def test_wrong_choices_are_all_reported(self):
        text = self.refusal(
            "graph", "llama2-7b", "--attention", "a", "--execution", "b", "--precision", "c", "--recompute", "d"
        )
        self.assertEqual(text.count(": error: "), 4)
        self.assertTrue(text.endswith("\n4 errors\n"), text)

    def test_numbers_are_whole_numbers_from_one(self):
        for option in ("--sequence", "--microbatch", "--tensor", "--threads"):
            for value in ("0", "-1", "x", "", "1.5", "1e3", "8k", "0x10", "010", "1_000", " 1", "9" * 20):
                with self.subTest(option=option, value=value):
                    text = self.refusal("graph", "llama2-7b", option, value)
                    self.assertIn(f"{option}: expected a whole number from 1", text)
                    self.assertIn(f'found "{value}"', text)

    def test_numbers_above_zero(self):
        for value in ("0", "-1", "x", "", "nan", "inf", "1e400", "300 W"):
            with self.subTest(value):
                text = self.refusal("chip", "h100", "--power-cap", value)
                self.assertIn(f'--power-cap: expected a number above 0, found "{value}"', text)
        for value in ("0", "x", "", "07"):
            with self.subTest(value):
                self.assertIn("--node: expected a whole number", self.refusal("chip", "h100", "--node", value))

    def test_no_answer_is_exit_code_one(self):
        result = self.start(["chip", "h100", "--power-cap", "1e-9", "--json"])
        self.assertEqual((result.returncode, result.stdout), (1, b""))
        self.assertRegex(result.stderr.decode(), r"\Aphaze: no clock keeps h100 within .*\n\Z")

    def test_options_that_say_nothing(self):
        for args in (
            ["graph"],
            ["graph", "llama2-7b", "gpt2-xl"],
            ["graph", "llama2-7b", "--tensor"],
            ["graph", "llama2-7b", "--sequence", "8", "--sequence", "9"],
            ["graph", "llama2-7b", "--json=false"],
            ["graph", "llama2-7b", "--json", "--dot"],
            ["graph", "llama2-7b", "--forward", "--recompute", "full"],
            ["graph", "llama2-7b", "--forward", "--optimizer", "sgd"],
            ["graph", "llama2-7b", "--fusion", ""],
            ["models", "llama2-7b"],
        ):
            with self.subTest(args):
                self.refusal(*args)

    def test_options_that_do_not_fit_the_model(self):
        for args, message in [
            (["gpt2-xl", "--sequence", "1025"], "--sequence: expected at most 1,024"),
            (["gpt2-xl", "--tensor", "5"], "--tensor: expected a width that divides"),
            (["llama2-7b", "--tensor", "3"], "(1, 2, 4, 8, 16, 32), found 3"),
            (["llama2-7b", "--tensor", "8", "--sequence", "7", "--sequence-parallel"], "length 7 is not a multiple"),
            (["llama2-7b", "--decoder-sequence", "8"], "--decoder-sequence: the model has no encoder"),
            (["vit-l", "--sequence", "8"], "always 197 tokens"),
            (["llama2-7b", "--sequence", "1073741825"], "from 1 to 1,073,741,824"),
            (["llama2-7b", "--sequence", "1073741824", "--microbatch", "1073741824"], "more than can be meant"),
            (["llama3-405b", "--sequence", "1073741824"], "more than can be meant"),
        ]:
            with self.subTest(args):
                self.assertIn(message, self.refusal("graph", *args))

    def test_odd_words_are_shown_as_they_are(self):
        self.assertIn(r"\x1b[31m", self.refusal("graph", "\x1b[31mred"))
        self.assertIn(r"a\nb", self.refusal("graph", "a\nb"))
        self.assertIn(r"\x07", self.refusal("\x07"))
        self.assertIn("<b>", self.refusal("graph", "<b>"))

    def test_models_is_an_array(self):
        text = self.answer("models", "--json")
        models = json.loads(text)
        self.assertIsInstance(models, list)
        self.assertGreaterEqual(len(models), 24)
        for model in models:
            self.assertGreater(model["parameters"], 0)
            self.assertEqual(model["tensor_widths"][0], 1)
            self.assertIn(model["name"], self.answer("models"))
        self.assertEqual(len({model["name"] for model in models}), len(models))


if __name__ == "__main__":
    phaze.main()
