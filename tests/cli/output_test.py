"""Standard output that is closed, full, or read only in part."""
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios

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

    def on_terminal(self, columns, *args, **environment):
        """What a run shows on a terminal of so many columns, and its exit code."""
        try:
            reader, writer = pty.openpty()
        except OSError as fault:
            self.skipTest(f"no terminals here: {fault}")
        fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        with os.fdopen(reader, "rb", closefd=True) as screen:
            process = subprocess.Popen([phaze.PROGRAM, *args], stdin=subprocess.DEVNULL, stdout=writer, stderr=writer,
                                       env={**os.environ, "COLUMNS": "", **environment})
            os.close(writer)
            text = b""
            try:
                while part := screen.read1(65536):
                    text += part
            except OSError:  # the other end was closed
                pass
            # Without the line that a slow run shows in between, and wipes.
            answer = re.sub(r"(\r\x1b\[K[^\r\n]*)*\r\x1b\[K", "", text.decode())
            return answer.replace("\r\n", "\n"), process.wait(timeout=phaze.SECONDS)

    def test_text_fits_a_narrow_terminal(self):
        args = ("place", "gpt2-xl", "--chip", "h100", "--devices", "8", "--global-batch", "8")
        whole = self.answer(*args)
        shown, code = self.on_terminal(60, *args)
        self.assertEqual(code, 0)
        long = [line for line in shown.splitlines() if len(line) > 60]
        self.assertTrue(all("  " in line.strip() or " " not in line.strip() for line in long), long)
        self.assertEqual([line for line in long if line not in whole.splitlines()], [])  # rows of tables
        self.assertEqual(shown.splitlines()[0] + shown.splitlines()[1][1:], whole.splitlines()[0])
        message, code = self.on_terminal(60, "place", "llama2-70b", "--chip", "h100", "--devices", "1")
        self.assertEqual(code, 1)
        self.assertTrue(message.startswith("phaze: no plan fits 1 device of "), message)
        self.assertEqual([line for line in message.splitlines() if len(line) > 60], [])
        wider, _ = self.on_terminal(60, "place", "llama2-70b", "--chip", "h100", "--devices", "1", COLUMNS="200")
        self.assertEqual(wider.count("\n"), 1)
        # Data stay as they are.
        self.assertEqual(json.loads(self.on_terminal(60, *args, "--json")[0])["devices"], 8)


if __name__ == "__main__":
    phaze.main()
