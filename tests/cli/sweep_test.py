#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command sweep: results, and the file that it keeps them in.

usage: see program.py
"""
import json
import math
import os
import pathlib
import pty
import signal
import stat
import subprocess
import tempfile
import time
import unittest

from program import BAD_INPUT, GOOD, IO_ERROR, MPIRUN, NOT_CONVERGED, PROGRAM, result, run

HALF = ("sweep", "--problem", "decoupled", "--dim", "9", "--instances", "25")


class SweepCase(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.file = self.directory / "sweep.jsonl"

    def records(self, file=None):
        """The records of a file, by what they are about."""
        lines = (file or self.file).read_text().splitlines()
        records = [json.loads(line) for line in lines[1:]]
        found = {(r["instance"], r.get("facts")): r for r in records}
        self.assertEqual(len(found), len(records), "a result is repeated")
        return found

    def sweep(self, *more, out=None):
        return result(*HALF, *more, "--out", str(out or self.file))

    def refused(self, message, *arguments, code=BAD_INPUT):
        done = run(*arguments, "--out", str(self.file))
        self.assertEqual(done.returncode, code, done)
        self.assertIn(message, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(done.stdout, "")


class Results(SweepCase):
    def test_half_point_is_the_mean_of_the_crossings(self):
        r = self.sweep()
        records = self.records()
        self.assertEqual(set(records), {(i, None) for i in range(25)})
        middles = [(x["passes"] + x["fails"]) / 2 for x in records.values()]
        mean = sum(middles) / 25
        self.assertAlmostEqual(r["p50"], mean, places=12)
        self.assertAlmostEqual(r["p50_error"], math.sqrt(sum((x - mean)**2 for x in middles) / 24 / 25), places=12)
        self.assertAlmostEqual(r["median"], sorted(middles)[12])
        self.assertAlmostEqual(r["deviation_error"], r["deviation"] / math.sqrt(48), places=12)
        self.assertGreaterEqual(r["median_error"], 0.5)
        step = (lambda p: p * math.log(p) / 81)(mean + 1e-6) - r["load"]  # K grows with p
        self.assertAlmostEqual(r["load_error"], r["p50_error"] * step / 1e-6, places=6)
        fixed = result(*HALF, "--candidates", "3", "--out", str(self.directory / "fixed"))
        self.assertAlmostEqual(fixed["load_error"], fixed["p50_error"] * math.log(3) / 81, places=12)
        self.assertEqual((r["decided"], r["status"], r["warnings"]), (25, "converged", []))
        self.assertAlmostEqual(r["load"], mean * math.log(mean) / 81, places=12)
        self.assertTrue(all(x["fails"] - x["passes"] == 1 and x["decided"] for x in records.values()))
        self.assertLess(abs(mean - 25.88), 3 * r["p50_error"])  # p delta(p) = 81
        # Both sides of a crossing are what `separable` says of that instance.
        for facts, verdict in ((records[3, None]["passes"], "separable"),
                               (records[3, None]["fails"], "inseparable")):
            single = result("separable", "--problem", "decoupled", "--dim", "9", "--facts", str(facts),
                            "--instance", "3")
            self.assertEqual(single["verdict"], verdict)

    def test_threads_do_not_change_the_records(self):
        other = self.directory / "other.jsonl"
        self.sweep("--threads", "1")
        self.sweep("--threads", "2", out=other)
        self.assertEqual(self.records(), self.records(other))

    def test_width_leaves_wider_brackets(self):
        r = self.sweep("--width", "5")
        widths = {x["fails"] - x["passes"] for x in self.records().values()}
        self.assertGreater(max(widths), 1)
        self.assertLessEqual(max(widths), 5)
        self.assertEqual(r["input"]["width"], 5)
        # Half of what the brackets leave open is part of the error.
        one = self.sweep(out=self.directory / "one")
        extra = sum(x["fails"] - x["passes"] - 1 for x in self.records().values()) / 25 / 2
        self.assertGreater(r["p50_error"], extra)
        self.assertLess(abs(r["p50"] - one["p50"]), extra + 1e-12)

    def test_threads_fit_the_memory(self):
        arguments = ("sweep", "--problem", "decoupled", "--dim", "8", "--instances", "6", "--memory", "0.35", "--out")
        results = [result(*arguments, str(self.directory / t), "--threads", t) for t in ("1", "2", "7")]
        self.assertEqual(len({r["p50"] for r in results}), 1)

    def test_grid(self):
        grid = ("sweep", "--rule", "hebbian", "--dim", "16", "--instances", "6", "--facts")
        r = result(*grid, "2:32:3", "--out", str(self.file))
        self.assertEqual([row["facts"] for row in r["rows"]], [2, 17, 32])
        for row in r["rows"]:
            records = [self.records()[i, row["facts"]] for i in range(6)]
            self.assertAlmostEqual(row["passing"], sum(x["answer"] == "passes" for x in records) / 6)
            self.assertAlmostEqual(row["accuracy"], sum(x["accuracy"] for x in records) / 6)
            self.assertGreater(row["passing_error"], 0)
            self.assertAlmostEqual(row["load"], row["facts"] * math.log(row["facts"]) / 256)
        single = result("simulate", "--dim", "16", "--facts", "17", "--instance", "4")
        self.assertEqual(self.records()[4, 17]["accuracy"], single["accuracy"])
        # Another grid adds to the file, and repeats nothing.
        before = self.file.read_text()
        result(*grid, "17:47:3", "--out", str(self.file))
        self.assertTrue(self.file.read_text().startswith(before))
        self.assertEqual(len(self.records()), 24)
        self.assertNotIn("accuracy", result("sweep", "--dim", "5", "--facts", "4:8:2", "--instances", "2",
                                            "--out", str(self.directory / "verdicts"))["rows"][0])

    def test_adam(self):
        adam = ("sweep", "--rule", "adam", "--dim", "12", "--rate", "0.3", "--steps", "300", "--facts", "10:70:2",
                "--instances", "3", "--out", str(self.file))
        r = result(*adam)
        self.assertEqual([row["passing"] for row in r["rows"]], [1, 0])
        self.assertLess(r["rows"][1]["accuracy"], 1)
        self.assertEqual(r["input"]["rate"], 0.3)
        half = result("sweep", "--rule", "adam", "--dim", "6", "--rank", "3", "--instances", "3", "--steps", "500",
                      "--rate", "0.3", "--out", str(self.directory / "half"))
        self.assertGreater(half["p50"], 3)

    def test_unknown_answers_are_left_out_and_said(self):
        done = run("sweep", "--rule", "adam", "--dim", "5", "--rate", "1e38", "--facts", "30:30:1", "--instances", "2",
                   "--format", "json", "--out", str(self.file))
        self.assertEqual(done.returncode, NOT_CONVERGED)
        r = json.loads(done.stdout)
        self.assertIsNone(r["rows"][0]["passing"])
        self.assertIn("2 results are unknown", r["warnings"][0])


class Resuming(SweepCase):
    def test_a_finished_sweep_is_not_repeated_and_more_instances_add_to_it(self):
        first = self.sweep()
        before = self.file.read_text()
        self.assertEqual(self.sweep(), first)
        self.assertEqual(self.file.read_text(), before)
        more = result(*HALF[:-1], "40", "--out", str(self.file))
        self.assertTrue(self.file.read_text().startswith(before))
        self.assertEqual(more["decided"], 40)
        self.assertEqual(self.sweep(), first)  # the first 25 alone

    def test_killed_and_restarted_it_goes_on(self):
        whole = self.directory / "whole.jsonl"
        arguments = ("sweep", "--dim", "14", "--instances", "30", "--threads", "1", "--out")
        expected = result(*arguments, str(whole))
        for kills in range(3):
            process = subprocess.Popen([PROGRAM, *arguments, str(self.file)], stdout=subprocess.DEVNULL)
            lines = 4 * (kills + 1)
            while process.poll() is None and (not self.file.exists() or
                                              self.file.read_bytes().count(b"\n") < lines):
                time.sleep(0.002)
            process.send_signal(signal.SIGKILL)
            process.wait()
            self.assertGreaterEqual(len(self.records()), lines - 1)
        r = result(*arguments, str(self.file))
        self.assertEqual(r["p50"], expected["p50"])
        self.assertEqual(self.records(), self.records(whole))

    def test_a_torn_line_is_done_again(self):
        self.sweep()
        whole = self.file.read_bytes()
        expected = self.records()
        header = whole.index(b"\n") + 1
        for end in (0, 1, header - 1, header, header + 1, header + 20, len(whole) - 1, len(whole) - 30):
            self.file.write_bytes(whole[:end])
            self.sweep()
            self.assertEqual(self.records(), expected, end)
            self.assertEqual(self.file.read_bytes()[:header], whole[:header])

    def test_other_parameters_are_refused_and_nothing_changes(self):
        self.sweep()
        before = self.file.read_bytes()
        for message, *arguments in [
                ('seed = 1, not 2', *HALF, "--seed", "2"),
                ('dim_in = 9, not 8', "sweep", "--problem", "decoupled", "--dim-in", "8", "--dim-out", "9"),
                ('candidates = "facts", not 4', *HALF, "--candidates", "4"),
                ('problem = "decoupled", not "original"', "sweep", "--dim", "9"),
                ('sought = "half", not "grid"', *HALF, "--facts", "5:9:5"),
                ('embeddings = "gaussian"', *HALF, "--embeddings", "unit-sphere"),
                ('width = 1, not 2', *HALF, "--width", "2"),
                ('rule = "separable", not "adam"', *HALF, "--rule", "adam")]:
            self.refused(message, *arguments)
            self.assertEqual(self.file.read_bytes(), before)

    def test_foreign_files_are_refused_and_nothing_changes(self):
        self.sweep()
        good = self.file.read_bytes()
        header = good[:good.index(b"\n") + 1]
        for content, message in [
                (b"some notes\n", "is no file of lamcap sweep"), (b"some notes", "is no file of lamcap sweep"),
                (b"\n", "is no file of lamcap sweep"), (b"{}\n", "is no file of lamcap sweep"),
                (b"[1]\n", "is no file of lamcap sweep"), (bytes(range(256)), "is no file of lamcap sweep"),
                (header + b"{\n" + good[len(header):], "line 2: is no record"),
                (header + b'{"instance":-1,"passes":1,"fails":2,"asked":1,"decided":true}\n', "line 2: is no record"),
                (header + b'{"instance":0,"passes":3,"fails":4,"asked":1}\n', "line 2: is no record"),
                (header + b'{"instance":0,"passes":"3","fails":4,"asked":1,"decided":true}\n', "line 2: is no record"),
                (header + b'{"instance":0,"passes":1,"fails":1000000,"asked":9,"decided":true}\n', "line 2: is no record"),
                (header + b'{"instance":0,"passes":9223372036854775807,"fails":9223372036854775807,"asked":9,'
                 b'"decided":true}\n', "line 2: is no record"),
                (good + good[len(header):].replace(b'"asked":', b'"asked":1'), "line 27: is no record"),
                (b'{"lamcap":"sweep","parameters":' + b'{"a":' * 200000 + b"1" + b"}" * 200001 + b"\n", "is no file"),
                (good + b"[]\n", "line 27: is no record"), (good + b"\n", "line 27: is no record")]:
            self.file.write_bytes(content)
            self.refused(message, *HALF)
            self.assertEqual(self.file.read_bytes(), content)

    def test_edited_answers_are_refused(self):
        grid = ("sweep", "--rule", "hebbian", "--dim", "8", "--facts", "4:9:2", "--instances", "3")
        result(*grid, "--out", str(self.file))
        good = self.file.read_text()
        self.assertIn('"answer":"fails"', good)
        for old, new in [('"accuracy":0', '"accuracy":5'), ('"accuracy":0', '"accuracy":-0'),
                         ('"answer":"fails"', '"answer":"passes"'), ('"answer":"fails"', '"answer":"maybe"'),
                         ('"answer":"fails"', '"answer":"unknown"'), ('"facts":9', '"facts":0')]:
            self.file.write_text(good.replace(old, new))
            self.refused("is no record of this sweep", *grid)

    def test_a_file_that_is_removed_or_cut_meanwhile_is_noticed(self):
        for harm in (lambda: self.file.unlink(), lambda: os.truncate(self.file, 0)):
            sweep = subprocess.Popen([PROGRAM, "sweep", "--dim", "20", "--instances", "1000", "--out", str(self.file)],
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            while not self.file.exists() or self.file.read_bytes().count(b"\n") < 3:
                time.sleep(0.01)
            harm()
            out, error = sweep.communicate(timeout=300)
            self.assertEqual((sweep.returncode, out), (IO_ERROR, ""))
            self.assertIn("while the sweep ran", error)
            self.file.unlink(missing_ok=True)

    def test_files_that_cannot_be_used(self):
        self.file.mkdir()
        self.refused("Is a directory", *HALF, code=IO_ERROR)
        self.file.rmdir()
        os.mkfifo(self.file)
        self.refused("not a regular file", *HALF, code=IO_ERROR)
        self.file.unlink()
        self.file = self.directory / "none" / "sweep.jsonl"
        self.refused("No such file", *HALF, code=IO_ERROR)
        self.file = pathlib.Path("/dev/full")
        self.refused("not a regular file", *HALF, code=IO_ERROR)

    def test_two_sweeps_do_not_share_a_file(self):
        first = subprocess.Popen([PROGRAM, "sweep", "--dim", "20", "--instances", "1000", "--out", str(self.file)],
                                 stdout=subprocess.DEVNULL)
        try:
            while not self.file.exists() or not self.file.stat().st_size:
                time.sleep(0.01)
            self.refused("another sweep is writing to it", "sweep", "--dim", "20", code=IO_ERROR)
        finally:
            first.kill()
            first.wait()
        # The lock went with its owner.
        done = run("sweep", "--dim", "20", "--instances", "2", "--out", str(self.file))
        self.assertEqual(done.returncode, GOOD, done.stderr)

    def test_a_full_disk_leaves_whole_lines(self):
        def limited(size):
            import resource
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        many = ("sweep", "--problem", "decoupled", "--dim", "5", "--instances", "200", "--out", str(self.file))
        done = run(*many, preexec_fn=lambda: limited(8192))
        self.assertEqual(done.returncode, IO_ERROR)
        self.assertIn("cannot write", done.stderr)
        self.assertTrue(self.file.read_bytes().endswith(b"\n"))
        self.assertGreater(len(self.records()), 50)
        self.assertLess(len(self.records()), 200)
        result(*many)
        self.assertEqual(len(self.records()), 200)


class Watching(SweepCase):
    def test_progress_is_shown_on_a_terminal_alone(self):
        self.assertEqual(run(*HALF, "--out", str(self.file)).stderr, "")
        self.file.unlink()
        parent, child = pty.openpty()
        done = subprocess.run([PROGRAM, *HALF, "--out", str(self.file)], stdout=subprocess.PIPE, stderr=child, timeout=300)
        os.close(child)
        shown = b""
        while True:
            try:
                part = os.read(parent, 65536)
            except OSError:
                break
            shown += part
        os.close(parent)
        self.assertEqual(done.returncode, GOOD)
        self.assertIn(b"] 0/25", shown)
        self.assertRegex(shown, rb"\[#+ *\] 12/25  .* left")
        self.assertIn(b"[##############################] 25/25", shown)
        self.assertTrue(shown.endswith(b"\r\x1b[K"))  # wiped


class BadInput(SweepCase):
    def test_bad_input_is_named_and_no_file_is_made(self):
        for message, *arguments in [
                ("needs dimensions", "sweep"),
                ("dim = 0", "sweep", "--dim", "0"),
                ("instances = 1", "sweep", "--dim", "4", "--instances", "1"),
                ("instances = 1.5", "sweep", "--dim", "4", "--instances", "1.5"),
                ("width = 0", "sweep", "--dim", "4", "--width", "0"),
                ("threads = 0", "sweep", "--dim", "4", "--threads", "0"),
                ("facts = 1", "sweep", "--dim", "4", "--facts", "1:5:5"),
                ("facts = -3", "sweep", "--dim", "4", "--facts", "-3:5:5"),
                ("facts = 3000000000", "sweep", "--dim", "4", "--facts", "3e9:3e9:1"),
                ("must be A:B:N", "sweep", "--dim", "4", "--facts", "9"),
                ("--facts excludes --width", "sweep", "--dim", "4", "--facts", "4:8:2", "--width", "2"),
                ("rate: belongs to rule adam", "sweep", "--dim", "4", "--rate", "1"),
                ("logit-scale: belongs to rule adam", "sweep", "--dim", "4", "--rule", "hebbian", "--logit-scale", "1"),
                ("rule", "sweep", "--dim", "4", "--rule", "sgd"),
                # what an instance would refuse
                ("this instance needs", "sweep", "--dim", "20", "--memory", "0.01"),
                ("an instance of 50 facts needs", "sweep", "--dim", "20", "--memory", "1"),
                ("rank = 9", "sweep", "--rule", "adam", "--rank", "9", "--dim", "4"),
                ("rate = -1", "sweep", "--rule", "adam", "--rate", "-1", "--dim", "4"),
                ("rate = nan", "sweep", "--rule", "adam", "--rate", "nan", "--dim", "4"),
                ("problem iid is Gaussian", "sweep", "--dim", "4", "--problem", "iid", "--embeddings", "unit-sphere"),
                ("the original problem has as many as facts", "sweep", "--dim", "4", "--candidates", "7")]:
            self.refused(message, *arguments)
            self.assertFalse(self.file.exists(), arguments)
        done = run("sweep", "--dim", "4")
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assertIn("--out is required", done.stderr)


@unittest.skipUnless(MPIRUN, "built without MPI")
class Mpi(SweepCase):
    def mpirun(self, *arguments):
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                           OMPI_MCA_rmaps_base_oversubscribe="1")
        return subprocess.run([MPIRUN, "-n", "4", PROGRAM, *arguments, "--out", str(self.file)], env=environment,
                              capture_output=True, text=True, timeout=120)

    def test_four_processes_write_what_one_does(self):
        done = self.mpirun(*HALF, "--format", "json")
        self.assertEqual(done.returncode, GOOD, done.stderr)
        other = self.directory / "other.jsonl"
        alone = self.sweep(out=other)
        together = json.loads(done.stdout)
        self.assertEqual(self.records(), self.records(other))
        self.assertEqual(together["p50"], alone["p50"])
        # One goes on where four were stopped.
        text = self.file.read_text()
        self.file.write_text(text[:len(text) // 2])
        self.sweep()
        self.assertEqual(self.records(), self.records(other))

    def test_a_refusal_is_said_once(self):
        self.file.write_text("mine\n")
        done = self.mpirun(*HALF)
        self.assertNotEqual(done.returncode, GOOD)
        self.assertEqual(done.stderr.count("is no file of lamcap sweep"), 1)
        self.assertEqual(self.file.read_text(), "mine\n")


@unittest.skipIf(MPIRUN, "built with MPI")
class NoMpi(SweepCase):
    def test_several_processes_are_refused(self):
        done = run(*HALF, "--out", str(self.file), env=dict(os.environ, OMPI_COMM_WORLD_SIZE="4"))
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assertIn("4 processes were started, but this lamcap is built for one", done.stderr)
        self.assertFalse(self.file.exists())


if __name__ == "__main__":
    unittest.main()
