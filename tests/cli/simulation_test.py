#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands simulate and separable.

usage: see program.py
"""
import json
import math
import os
import pathlib
import random
import resource
import struct
import subprocess
import tempfile
import unittest

from program import BAD_INPUT, IO_ERROR, NOT_CONVERGED, result, run


class Simulate(unittest.TestCase):
    def test_hebbian_record(self):
        r = result("simulate", "--dim", "128", "--facts", "634")
        self.assertAlmostEqual(r["accuracy"], 0.8805, delta=0.04)  # one instance
        self.assertEqual(r["lost"], round(634 * (1 - r["accuracy"])))
        self.assertLess(r["margin_lower"], 0)
        self.assertGreater(r["margin_upper"], 0)
        self.assertIsNone(r["stop"])
        self.assertAlmostEqual(r["spectrum_moment_2"], 1, places=12)
        self.assertAlmostEqual(r["load"], 634 * math.log(634) / 128**2)
        self.assertEqual(r["input"]["candidates"], 634)
        self.assertNotIn("rate", r["input"])
        other = result("simulate", "--dim", "128", "--facts", "634", "--instance", "1")
        self.assertNotEqual(r["accuracy"], other["accuracy"])

    def test_adam_recalls_all(self):
        for more in ([], ["--rank", "12", "--schedule", "cosine"], ["--precision", "double"],
                     ["--problem", "decoupled", "--candidates", "60"],
                     ["--embeddings", "unit-sphere"]):
            r = result("simulate", "--rule", "adam", "--dim", "30", "--facts", "90", *more)
            self.assertEqual((r["stop"], r["lost"], r["accuracy"]), ("recalled", 0, 1), more)
            self.assertGreater(r["margin_lower"], 0)
            self.assertGreater(r["margin_upper"], r["margin_lower"])
            self.assertEqual(r["warnings"], [])

    def test_threads_do_not_change_the_result(self):
        arguments = ["simulate", "--rule", "adam", "--dim-in", "20", "--dim-out", "40", "--facts",
                     "700", "--steps", "30"]
        one = result(*arguments, "--threads", "1")
        self.assertEqual(one, result(*arguments, "--threads", "2"))
        self.assertEqual(one["stop"], "step_limit")
        self.assertEqual(one["steps"], 30)
        self.assertIn("not the best possible", one["warnings"][0])

    def test_divergence_is_not_a_result(self):
        done = run("simulate", "--rule", "adam", "--dim", "5", "--facts", "30", "--rate", "1e38",
                   "--format", "json")
        self.assertEqual(done.returncode, NOT_CONVERGED)
        r = json.loads(done.stdout)
        self.assertEqual(r["stop"], "diverged")
        self.assertIsNone(r["accuracy"])

    def test_bad_input_is_named(self):
        small = ["--dim", "5", "--facts", "9"]
        for message, *arguments in [
                ("needs dimensions", "--facts", "3"),
                ("needs --facts", "--dim", "3"),
                ("dim = 0", "--dim", "0", "--facts", "3"),
                ("facts = 2.5", "--dim", "3", "--facts", "2.5"),
                ("the original problem has as many as facts", *small, "--candidates", "4"),
                ("rank: belongs to rule adam", *small, "--rank", "2"),
                ("rank = 6", *small, "--rule", "adam", "--rank", "6"),
                ("rate = -1", *small, "--rule", "adam", "--rate", "-1"),
                ("ridge = -1", *small, "--rule", "adam", "--ridge", "-1"),
                ("steps = 0", *small, "--rule", "adam", "--steps", "0"),
                ("gap = 0", *small, "--rule", "adam", "--gap", "0"),
                ("threads = 0", *small, "--threads", "0"),
                ("logit_scale = 0", *small, "--rule", "adam", "--logit-scale", "0"),
                ("logit_scale = 0", *small, "--logit-scale", "0"),
                ("logit_scale = 1e-50", *small, "--rule", "adam", "--logit-scale", "1e-50"),
                ("gap = 1", *small, "--rule", "adam", "--gap", "1"),
                ("bins", *small, "--rows", "scores", "--bins", "0:0:1"),
                ("bins", *small, "--rows", "scores", "--bins", "-1e308:1e308:3"),
                ("from 1 to 10000", *small, "--rows", "scores", "--bins", "0:1:20000"),
                ("belongs to --rows scores", *small, "--bins", "0:1:2"),
                ("measuring needs", "--dim", "2000", "--facts", "2", "--memory", "100"),
                # scratch of what is not stored counts too
                ("this instance needs", "--problem", "iid", "--storage", "regenerated", "--dim", "2e9", "--facts", "2"),
                ("this instance needs", "--problem", "decoupled", "--storage", "regenerated", "--dim", "10", "--facts",
                 "2", "--candidates", "1e6", "--memory", "50"),
                ("needs 0.00072 MB", *small, "--memory", "1e-4"),
                ("training needs", *small, "--rule", "adam", "--memory", "1e-3"),
                ("problem iid is Gaussian", *small, "--problem", "iid", "--embeddings", "unit-sphere")]:
            done = run("simulate", *arguments)
            self.assertEqual(done.returncode, BAD_INPUT, arguments)
            self.assertIn(message, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
            self.assertEqual(done.stdout, "")


def npy(path, rows, kind="<f8", fortran=False):
    """Writes rows as NumPy does."""
    code = {"f8": "d", "f4": "f"}[kind[1:]]
    cells = [x for column in zip(*rows) for x in column] if fortran else [x for row in rows for x in row]
    header = str({"descr": kind, "fortran_order": fortran, "shape": (len(rows), len(rows[0]))}).encode()
    header += b" " * ((-len(header) - 11) % 64) + b"\n"
    pathlib.Path(path).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header +
                                   struct.pack(kind[0] + str(len(cells)) + code, *cells))


def read_npy(path):
    """The rows of a float64 array in Fortran order."""
    content = pathlib.Path(path).read_bytes()
    length, = struct.unpack("<H", content[8:10])
    header = eval(content[10:10 + length])  # a literal
    assert header["descr"] == "<f8" and header["fortran_order"], header
    rows, columns = header["shape"]
    cells = struct.unpack(f"<{rows * columns}d", content[10 + length:])
    return [list(cells[i::rows]) for i in range(rows)]


class OwnEmbeddings(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        numbers = random.Random(5)
        self.inputs = [[numbers.gauss(0, 1) for _ in range(4)] for _ in range(9)]
        self.outputs = [[numbers.gauss(0, 1) for _ in range(5)] for _ in range(9)]
        self.files = ("--inputs", str(self.directory / "E.npy"), "--outputs", str(self.directory / "U.npy"))
        npy(self.files[1], self.inputs)
        npy(self.files[3], self.outputs)

    def hebbian(self, facts):
        w = [[sum(self.outputs[mu][i] * self.inputs[mu][j] for mu in range(facts)) for j in range(4)] for i in range(5)]
        recalled = 0
        for mu in range(facts):
            image = [sum(w[i][j] * self.inputs[mu][j] for j in range(4)) for i in range(5)]
            scores = [sum(u * x for u, x in zip(self.outputs[rho], image)) for rho in range(facts)]
            recalled += scores[mu] > max(s for rho, s in enumerate(scores) if rho != mu)
        return w, recalled / facts

    def test_hebbian_memory_of_ones_own_facts(self):
        saved = self.directory / "W.npy"
        for facts in (9, 6):
            r = result("simulate", *self.files, "--facts", str(facts), "--save", str(saved))
            w, accuracy = self.hebbian(facts)
            self.assertEqual(r["accuracy"], accuracy)
            for made, expected in zip(read_npy(saved), w):
                for a, b in zip(made, expected):
                    self.assertAlmostEqual(a, b, places=12)
            self.assertEqual(r["input"]["inputs"], self.files[1])
            self.assertEqual((r["input"]["dim_in"], r["input"]["dim_out"], r["input"]["facts"]), (4, 5, facts))
            self.assertNotIn("seed", r["input"])
        self.assertEqual(result("simulate", *self.files)["accuracy"], self.hebbian(9)[1])

    def test_every_storage_gives_the_same(self):
        expected = result("separable", *self.files, "--facts", "5", "--gap", "1e-6")
        npy(self.files[1], self.inputs, fortran=True)
        npy(self.files[3], self.outputs, kind=">f8")
        self.assertEqual(result("separable", *self.files, "--facts", "5", "--gap", "1e-6"), expected)
        npy(self.files[1], self.inputs, kind="<f4")
        r = result("separable", *self.files, "--facts", "5", "--gap", "1e-6")
        self.assertAlmostEqual(r["margin_lower"], expected["margin_lower"], places=5)

    def test_training_and_certificates(self):
        saved = self.directory / "W.npy"
        best = result("separable", *self.files, "--facts", "5", "--gap", "1e-8", "--save", str(saved))
        self.assertEqual(best["verdict"], "separable")
        w = read_npy(saved)
        self.assertAlmostEqual(sum(x * x for row in w for x in row), 1, places=12)
        trained = result("simulate", "--rule", "adam", *self.files, "--facts", "5", "--rate", "0.3")
        self.assertEqual(trained["stop"], "recalled")
        self.assertLessEqual(trained["margin_lower"], best["margin_upper"])

    def test_bad_files_are_named(self):
        short = self.directory / "short.npy"
        npy(short, self.outputs[:8])
        bad = self.directory / "bad.npy"
        npy(bad, [[1, math.nan]] * 9)
        text = self.directory / "text.npy"
        text.write_text("1 2 3\n")
        for message, code, *arguments in [
                ("short.npy", BAD_INPUT, self.files[0], self.files[1], "--outputs", str(short)),
                ("bad.npy", BAD_INPUT, self.files[0], self.files[1], "--outputs", str(bad)),
                ("text.npy", BAD_INPUT, self.files[0], str(text), *self.files[2:]),
                ("none.npy", IO_ERROR, self.files[0], str(self.directory / "none.npy"), *self.files[2:]),
                (str(self.directory), IO_ERROR, self.files[0], str(self.directory), *self.files[2:]),
                ("facts = 10: must be a whole number from 2 to 9", BAD_INPUT, *self.files, "--facts", "10"),
                ("facts = 1:", BAD_INPUT, *self.files, "--facts", "1"),
                ("--inputs requires --outputs", BAD_INPUT, *self.files[:2]),
                ("--outputs requires --inputs", BAD_INPUT, *self.files[2:], "--dim", "4", "--facts", "4"),
                ("--dim excludes --inputs", BAD_INPUT, *self.files, "--dim", "4"),
                ("--problem excludes --inputs", BAD_INPUT, *self.files, "--problem", "decoupled"),
                ("needs 0.00", BAD_INPUT, *self.files, "--memory", "1e-5")]:
            for command in ("simulate", "separable"):
                done = run(command, *arguments)
                self.assertEqual(done.returncode, code, (arguments, done.stderr))
                self.assertIn(message, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)
                self.assertEqual(done.stdout, "")

    def test_a_memory_that_cannot_be_saved(self):
        for command in ("simulate", "separable"):
            for path, message in [(self.directory / "none" / "W.npy", "No such file"), (self.directory, "directory"),
                                  ("/dev/null", "not a regular file"), ("", "No such file")]:
                done = run(command, *self.files, "--save", str(path))
                self.assertEqual((done.returncode, done.stdout), (IO_ERROR, ""))
                self.assertIn(message, done.stderr)

    def test_a_link_is_saved_through_and_a_full_disk_leaves_nothing(self):
        link = self.directory / "link.npy"
        link.symlink_to("W.npy")
        result("simulate", *self.files, "--save", str(link))
        self.assertTrue(link.is_symlink())
        before = read_npy(self.directory / "W.npy")
        def limited():
            resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
        done = run("simulate", "--dim", "64", "--facts", "9", "--save", str(link), preexec_fn=limited)
        self.assertEqual(done.returncode, IO_ERROR)
        self.assertIn("cannot write", done.stderr)
        self.assertEqual(read_npy(link), before)
        self.assertEqual(len(list(self.directory.iterdir())), 4)

    def test_what_a_killed_process_left_is_removed_here_too(self):
        ended = subprocess.Popen(["true"])
        ended.wait()
        left = self.directory / f"W.npy.{ended.pid}.tmp"
        left.write_text("half")
        done = run("simulate", *self.files, "--save", "W.npy", cwd=self.directory)
        self.assertEqual(done.returncode, 0)
        self.assertFalse(left.exists())
        self.assertTrue((self.directory / "W.npy").exists())

    def test_the_length_of_embeddings_does_not_matter(self):
        numbers = random.Random(5)
        self.inputs = [[numbers.gauss(0, 1) for _ in range(4)] for _ in range(20)]
        npy(self.files[1], self.inputs)
        npy(self.files[3], [[numbers.gauss(0, 1) for _ in range(3)] for _ in range(20)])
        verdicts = {facts: result("separable", *self.files, "--facts", str(facts))["verdict"] for facts in (3, 20)}
        self.assertEqual(list(verdicts.values()), ["separable", "inseparable"])
        for scale in (1e-40, 1e-5, 1e10):
            npy(self.files[1], [[scale * x for x in row] for row in self.inputs])
            for facts, verdict in verdicts.items():
                r = result("separable", *self.files, "--facts", str(facts))
                self.assertEqual(r["verdict"], verdict, (scale, facts))
            r = result("simulate", "--rule", "adam", *self.files, "--facts", "3", "--rate", str(0.3 / scale),
                       "--precision", "double")
            self.assertEqual(r["stop"], "recalled")
        npy(self.files[1], [[1e-170 * x for x in row] for row in self.inputs])
        done = run("separable", *self.files)
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assertIn("must be from 1e-100 to 1e100", done.stderr)

    def test_names_that_are_no_text(self):
        path = os.fsencode(self.directory) + b"/caf\xe9.npy"
        os.rename(self.files[1], path)
        r = result("simulate", "--inputs", path, *self.files[2:])
        self.assertIn("caf", r["input"]["inputs"])


class Rows(unittest.TestCase):
    def test_singular_values(self):
        r = result("simulate", "--dim-in", "30", "--dim-out", "20", "--facts", "50", "--rows", "singular-values")
        values = [row["memory_s"] for row in r["rows"]]
        self.assertEqual(len(values), 20)
        self.assertEqual(values, sorted(values))
        for n in (1, 2, 3, 4):
            self.assertAlmostEqual(sum(s**n for s in values) / 20, r[f"spectrum_moment_{n}"], places=12)

    def test_scores(self):
        r = result("simulate", "--dim", "64", "--facts", "300", "--rows", "scores", "--bins", "-8:12:200")
        for name in ("target", "best", "competitor"):
            density = [row[f"{name}_density"] for row in r["rows"]]
            scores = [row["score"] for row in r["rows"]]
            self.assertAlmostEqual(sum(density) * 0.1, 1, places=9)
            mean = sum(d * s for d, s in zip(density, scores)) * 0.1
            self.assertAlmostEqual(mean, r[f"{name}_mean"], delta=0.03)
            self.assertTrue(all((row[f"{name}_density_error"] > 0) == (row[f"{name}_density"] > 0) for row in r["rows"]))

    def test_binding(self):
        r = result("separable", "--dim", "10", "--facts", "22", "--gap", "1e-7", "--rows", "binding")
        self.assertEqual(sum(row["facts"] for row in r["rows"]), 22)
        self.assertEqual(sum(row["facts"] * row["binding_competitors"] for row in r["rows"]), r["binding"])
        self.assertLessEqual(r["binding"], 100)
        self.assertIsNone(result("separable", "--dim", "10", "--facts", "22")["binding"])
        done = run("separable", "--dim", "10", "--facts", "22", "--rows", "binding")
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assertIn("only with --gap", done.stderr)

    def test_storage_does_not_change_the_result(self):
        for rule in ("hebbian", "adam"):
            arguments = ("simulate", "--rule", rule, "--problem", "decoupled", "--dim", "9", "--facts", "20",
                         "--candidates", "12", "--rows", "scores")
            self.assertEqual(result(*arguments), result(*arguments, "--storage", "regenerated"))
        big = ("simulate", "--problem", "decoupled", "--dim", "40", "--facts", "500", "--memory", "20")
        done = run(*big)
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assertIn("needs 80.2 MB", done.stderr)
        self.assertGreater(result(*big, "--storage", "regenerated")["accuracy"], 0)


class Law(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.file = pathlib.Path(directory.name) / "law.csv"

    def test_distance_from_the_theory_falls_with_the_dimension(self):
        self.file.write_text(run("spectrum", "--rank-ratio", "1", "--points", "2001", "--format", "csv").stdout)
        far, near = (result("simulate", "--dim", str(d), "--facts", str(d * d), "--law", str(self.file))
                     for d in (16, 128))
        self.assertLess(near["law_wasserstein"], 0.02)
        self.assertLess(near["law_wasserstein"], 0.5 * far["law_wasserstein"])
        self.assertLess(near["law_kolmogorov"], 0.5 * far["law_kolmogorov"])
        # The same columns from singular values: the memory's distance from itself is 0.
        arguments = ("simulate", "--dim", "16", "--facts", "50")
        self.file.write_text(run(*arguments, "--rows", "singular-values", "--format", "csv").stdout)
        self.assertLessEqual(result(*arguments, "--law", str(self.file))["law_kolmogorov"], 1 / 16 + 1e-12)

    def test_plain_columns(self):
        self.file.write_text("# a comment\n\n0 0\n1\t0.5\n2, 1\n")
        r = result("simulate", "--dim", "16", "--facts", "50", "--law", str(self.file))
        self.assertGreater(r["law_kolmogorov"], 0)

    def test_bad_laws_are_named(self):
        for content, message in [("", "holds no law"), ("a,b\n", "holds no law"), ("0,0\n1\n", "line 2: must hold"),
                                 ("0,0\nx,1\n", "line 2"), ("0,0\n0,1\n", "law: point 2"), ("0,O\n1,1\n", "line 1: must hold"), ("0,2\n", "law: point 1"),
                                 ("0,nan\n", "law: point 1")]:
            self.file.write_text(content)
            done = run("simulate", "--dim", "8", "--facts", "9", "--law", str(self.file))
            self.assertEqual(done.returncode, BAD_INPUT, content)
            self.assertIn(message, done.stderr)
        self.file.unlink()
        done = run("simulate", "--dim", "8", "--facts", "9", "--law", str(self.file))
        self.assertEqual(done.returncode, IO_ERROR)
        self.assertIn("law.csv", done.stderr)


class Separable(unittest.TestCase):
    def test_verdicts(self):
        r = result("separable", "--dim", "10", "--facts", "15")
        self.assertEqual(r["verdict"], "separable")
        self.assertGreater(r["margin_lower"], 0)
        self.assertGreaterEqual(r["margin_upper"], r["margin_lower"])
        self.assertEqual(r["steps"], 0)  # training proved it
        r = result("separable", "--dim", "6", "--facts", "40")
        self.assertEqual(r["verdict"], "inseparable")
        self.assertLessEqual(r["margin_upper"], 1e-8)

    def test_gap_closes_the_bounds(self):
        r = result("separable", "--problem", "decoupled", "--dim-in", "6", "--dim-out", "5",
                   "--facts", "8", "--candidates", "7", "--gap", "1e-6", "--seed", "7",
                   "--instance", "2")
        self.assertLessEqual(r["margin_upper"] - r["margin_lower"], 1e-6 * r["margin_upper"])
        self.assertLessEqual(r["binding"], 30)  # the dimensions
        trained = result("simulate", "--rule", "adam", "--problem", "decoupled", "--dim-in", "6",
                         "--dim-out", "5", "--facts", "8", "--candidates", "7", "--seed", "7",
                         "--instance", "2")
        self.assertLessEqual(trained["margin_lower"], r["margin_upper"])
        self.assertGreaterEqual(trained["margin_upper"], r["margin_lower"])

    def test_undecided_is_said(self):
        done = run("separable", "--dim", "10", "--facts", "30", "--steps", "1", "--format", "json")
        self.assertEqual(done.returncode, NOT_CONVERGED)
        self.assertEqual(json.loads(done.stdout)["verdict"], "undecided")

    def test_bad_input_is_named(self):
        for message, *arguments in [
                ("needs dimensions", "--facts", "3"),
                ("resolution = 0", "--dim", "5", "--facts", "3", "--resolution", "0"),
                ("resolution = inf", "--dim", "5", "--facts", "3", "--resolution", "inf"),
                ("gap = -1", "--dim", "5", "--facts", "3", "--gap", "-1"),
                ("gap = 1", "--dim", "5", "--facts", "3", "--gap", "1"),
                ("the solver needs", "--dim", "200", "--facts", "3"),
                ("instance = -1", "--dim", "5", "--facts", "3", "--instance", "-1")]:
            done = run("separable", *arguments)
            self.assertEqual(done.returncode, BAD_INPUT, arguments)
            self.assertIn(message, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
