"""Standard output that is closed, full, or read only in part."""
import os
import subprocess

import phaze


class Output(phaze.Case):
    ANSWERS = (["--help"], ["--version"], ["models"], ["models", "--json"], ["graph", "llama2-7b", "--json"])

    def test_a_reader_that_has_seen_enough_is_no_fault(self):
        for args in self.ANSWERS:
            with self.subTest(args):
                reader, writer = os.pipe()
                os.close(reader)  # the first write meets a closed pipe
                try:
                    result = self.start(args, stdout=writer)
                finally:
                    os.close(writer)
                self.assertEqual((result.returncode, result.stderr), (0, b""))

    def test_head_of_a_long_answer(self):
        command = f"'{phaze.PROGRAM}' graph gpt3-175b --json; echo $? >&2"
        result = subprocess.run(
            ["sh", "-c", f"{{ {command}; }} | head -n 1"], capture_output=True, timeout=phaze.SECONDS
        )
        self.assertEqual((result.stdout, result.stderr), (b"{\n", b"0\n"))

    def test_a_full_disk_is_one_clear_line(self):
        for args in self.ANSWERS:
            with self.subTest(args), open("/dev/full", "wb") as full:
                result = self.start(args, stdout=full)
                self.assertEqual(result.returncode, 2)
                self.assertEqual(
                    result.stderr.decode(), "phaze: cannot write the answer: No space left on device\n"
                )

    def test_closed_standard_streams(self):
        for closed, code in (("<&-", 0), (">&-", 2), ("2>&-", 0)):
            with self.subTest(closed):
                result = subprocess.run(
                    ["sh", "-c", f"exec '{phaze.PROGRAM}' models {closed}"], capture_output=True, timeout=phaze.SECONDS
                )
                self.assertEqual(result.returncode, code)
        result = subprocess.run(
            ["sh", "-c", f"exec '{phaze.PROGRAM}' graph - <&-"], capture_output=True, timeout=phaze.SECONDS
        )
        self.assertEqual((result.returncode, result.stdout), (2, b""))
        self.assertIn(b"standard input: error: ", result.stderr)

    def test_an_endless_input_ends(self):
        with open("/dev/zero", "rb") as zeros:
            result = subprocess.run(
                [phaze.PROGRAM, "graph", "-"], stdin=zeros, capture_output=True, timeout=phaze.SECONDS
            )
        self.assertEqual((result.returncode, result.stderr), (2, b"standard input: error: is larger than 64 MiB\n"))


if __name__ == "__main__":
    phaze.main()
