#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The program as its users see it: results in every format, bad input, files, exit codes.

usage: see program.py
"""
import csv
import io
import json
import math
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

from program import (BAD_INPUT, DIFFERENT, EXAMPLE, GOOD, IO_ERROR, NOT_CONVERGED, PROGRAM, PROJECT, TABLES,
                     result, run)

COMMANDS = ("capacity", "accuracy", "threshold", "spectrum", "free-entropy", "phase", "scores", "simulate",
            "separable", "sweep", "table")


class Capacity(unittest.TestCase):
    def test_dimensions_give_facts(self):
        r = result("capacity", "--dim", "4096")
        self.assertLess(abs(r["facts"] - 867136.3935), 1e-3)
        self.assertEqual(r["facts_floor"], 867136)
        self.assertLess(r["facts_error"], 1e-5)
        self.assertAlmostEqual(r["alpha_c"] * 4096**2, r["facts"] * math.log(r["facts"]), delta=1e-3)
        self.assertEqual(r["dim"], 4096)
        self.assertIsNone(r["load"])
        self.assertEqual(r["status"], "converged")
        self.assertEqual(r["input"]["rule"], "optimal")
        self.assertEqual(r["input"]["candidates"], "facts")
        self.assertEqual(r["warnings"], [])

    def test_facts_give_dimension(self):
        r = result("capacity", "--facts", "1e100")
        self.assertAlmostEqual(r["alpha_c"], 0.519322611807267, delta=1e-10)
        self.assertAlmostEqual(r["statistical_dimension"], 443.38240635834064, delta=1e-8)
        self.assertEqual(r["facts"], 1e100)
        r = result("capacity", "--facts", "867136", "--rank-ratio", "1")
        self.assertEqual(r["dim_ceiling"], 4096)
        r = result("capacity", "--facts", "867137")
        self.assertEqual(r["dim_ceiling"], 4097)

    def test_both_give_a_verdict(self):
        r = result("capacity", "--dim", "20", "--facts", "86")
        self.assertIs(r["below_capacity"], True)
        self.assertAlmostEqual(r["load"], 86 * math.log(86) / 400, places=14)
        r = result("capacity", "--dim-in", "20", "--dim-out", "20", "--facts", "87")
        self.assertIs(r["below_capacity"], False)
        r = result("capacity", "--dim", "10", "--facts", "200", "--candidates", "2")
        self.assertIsNone(r["below_capacity"])
        self.assertIn("closer", r["warnings"][0])

    def test_options_act(self):
        full = result("capacity", "--dim", "1000", "--candidates", "1000")
        half = result("capacity", "--dim", "1000", "--candidates", "1000", "--rank-ratio", "0.5")
        same = result("capacity", "--dim", "1000", "--candidates", "1000", "--rank", "500")
        self.assertAlmostEqual(half["facts"] / full["facts"], 2 * 0.44686539693902700906, places=13)
        self.assertEqual(half["facts"], same["facts"])
        margin = result("capacity", "--dim", "1000", "--candidates", "1000", "--margin", "1")
        self.assertAlmostEqual(margin["statistical_dimension"], 13.896430690586769, places=10)
        listwise = result("capacity", "--dim", "100", "--rule", "listwise", "--tail", "0.1")
        self.assertAlmostEqual(listwise["alpha_c"], 0.24579858679165682538, places=13)
        strict = result("capacity", "--dim", "1000", "--rule", "hebbian")
        average = result("capacity", "--dim", "1000", "--rule", "hebbian", "--recall", "average")
        self.assertAlmostEqual(strict["alpha_c"], 0.125, places=13)
        self.assertAlmostEqual(average["alpha_c"], 0.5, places=13)
        self.assertIsNone(strict["statistical_dimension"])
        for method in ("mean-field", "expansion", "leading"):
            r = result("capacity", "--facts", "1e6", "--method", method)
            exact = result("capacity", "--facts", "1e6")
            self.assertAlmostEqual(abs(r["alpha_c"] - exact["alpha_c"]), r["alpha_c_error"], delta=1e-9)

    def test_numbers_are_read_as_written(self):
        a = result("capacity", "--dim", "1e3")
        self.assertEqual(a, result("capacity", "--dim", "1000"))
        self.assertEqual(a, result("capacity", "--dim", "+1000.0"))
        # beyond 2^53 not every whole number is a double: the record shows the one that was used
        r = result("capacity", "--dim", "1000", "--candidates", "9007199254740993")
        self.assertEqual(r["input"]["candidates"], 2**53)

    def test_whole_numbers_are_shown_only_where_the_error_singles_one_out(self):
        for key, *arguments in (("facts", "--dim", "1000"), ("facts", "--dim", "3e6"),
                                ("facts", "--dim", "1e7"), ("facts", "--dim", "1e9"),
                                ("facts", "--dim", "32", "--method", "mean-field"),
                                ("dim", "--facts", "1e9"), ("dim", "--facts", "1e40"),
                                ("dim", "--facts", "100", "--method", "leading"),
                                ("dim", "--facts", "1e6", "--method", "leading")):
            r = result("capacity", *arguments)
            whole = r[{"facts": "facts_floor", "dim": "dim_ceiling"}[key]]
            if r[key + "_error"] <= 0.5:
                self.assertLess(abs(whole - r[key]), 1 + 1e-6, arguments)
            else:
                self.assertIsNone(whole, arguments)
        self.assertIn("facts_floor", run("capacity", "--dim", "1000").stdout)
        self.assertNotIn("facts_floor", run("capacity", "--dim", "1e9").stdout)
        self.assertIn("facts_floor", run("capacity", "--dim", "1e9", "--format", "csv").stdout)

    def test_method_and_rule_names_are_echoed(self):
        for option, names in (("rule", ["optimal", "hebbian"]),
                              ("method", ["exact", "mean-field", "expansion", "leading"])):
            for name in names:
                r = result("capacity", "--dim", "100", "--" + option, name)
                self.assertEqual(r["input"][option], name)
            self.assertIn("--" + option + " " + "|".join(names), run("capacity", "--help").stdout)
        for name in ("strict", "average"):
            r = result("capacity", "--dim", "100", "--rule", "hebbian", "--recall", name)
            self.assertEqual(r["input"]["recall"], name)

    def test_narrow_outputs_are_warned_about(self):
        r = result("capacity", "--dim-in", "100", "--dim-out", "10", "--candidates", "1000")
        self.assertIn("convex hull", r["warnings"][0])

    def test_formats_carry_the_same_numbers(self):
        r = result("capacity", "--dim", "64", "--facts", "500")
        done = run("capacity", "--dim", "64", "--facts", "500", "--format", "csv")
        row = next(csv.DictReader(io.StringIO(done.stdout)))
        for key, value in r.items():
            if isinstance(value, float):
                self.assertEqual(float(row[key]), value)
        self.assertEqual(row["input.facts"], "500")
        text = run("capacity", "--dim", "64", "--facts", "500").stdout
        self.assertIn("statistical_dimension", text)
        self.assertIn("+-", text)


class ThresholdAndSpectrum(unittest.TestCase):
    def test_threshold(self):
        r = result("threshold", "--candidates", "1001")
        self.assertAlmostEqual(r["median"], 3.19758949538401517, places=13)
        self.assertAlmostEqual(r["mean"], 3.24143576913344086, places=13)
        self.assertAlmostEqual(r["leading"], math.sqrt(2 * math.log(1000)), places=14)
        for key in ("variance", "gumbel_location", "gumbel_scale", "target_mean", "target_sd"):
            self.assertLess(r[key + "_error"], 1e-11)
        r = result("threshold", "--candidates", "1000")
        self.assertAlmostEqual(r["target_mean"], 2.445882, places=6)
        self.assertAlmostEqual(r["target_sd"], 0.197522, places=6)
        r = result("threshold", "--candidates", "2")
        self.assertIsNone(r["gumbel_location"])
        self.assertEqual(len(r["warnings"]), 1)
        self.assertEqual(result("threshold", "--candidates", "1e300")["status"], "converged")

    def test_spectrum(self):
        r = result("spectrum", "--rank-ratio", "0.25", "--points", "201")
        self.assertAlmostEqual(r["cutoff"], 1.2694091879523859697, places=13)
        self.assertAlmostEqual(r["alpha_c"], 0.31145627563918258211, places=14)
        self.assertAlmostEqual(r["moment_4"], 2, places=12)
        self.assertAlmostEqual(r["memory_moment_2"], 1, places=12)
        rows = r["density"]
        self.assertEqual(len(rows), 201)
        step = rows[1]["s"] - rows[0]["s"]
        mass = sum(row["density"] for row in rows[1:-1]) * step + 0.5 * step * rows[0]["density"]
        self.assertAlmostEqual(mass, 1, places=3)
        self.assertAlmostEqual(rows[-1]["distribution"], 1, places=14)
        r = result("spectrum", "--rank-ratio", "1", "--aspect", "0.25")
        self.assertAlmostEqual(r["cutoff"], 0.5, places=14)
        self.assertAlmostEqual(r["alpha_c"], 0.5, places=14)
        done = run("spectrum", "--rank-ratio", "0.5", "--format", "csv")
        lines = [line for line in done.stdout.splitlines() if not line.startswith("#")]
        self.assertEqual(len(lines), 42)


class FreeEntropyAndPhase(unittest.TestCase):
    KEYS = ("overlap", "free_entropy", "residual", "energy", "slope")

    def test_mean_field(self):
        for k, load, overlap, phi in ((100, 0.1, 0.135692, -0.105190), (100, 0.5, 0.616270, -0.693405),
                                      (1000, 0.5, 0.669634, -0.751191),
                                      (1000, 0.7, 0.883243, -1.485253)):
            r = result("free-entropy", "--load", str(load), "--candidates", str(k))
            self.assertAlmostEqual(r["overlap"], overlap, delta=6e-7)
            self.assertAlmostEqual(r["free_entropy"], phi, delta=6e-7)
            self.assertLessEqual(abs(r["residual"]), r["residual_error"])
            self.assertAlmostEqual(r["energy"], r["slope"] * math.log(k), places=12)
            self.assertEqual(r["status"], "converged")
            self.assertEqual(r["input"]["method"], "mean-field")
            self.assertEqual(r["input"]["errors"], "bound")
            for key in self.KEYS:
                self.assertLess(r[key + "_error"], 1e-9)
        exact = result("capacity", "--dim", "100", "--candidates", "1000")["alpha_c"]
        self.assertAlmostEqual(r["critical_load"], 0.833195217, places=8)
        self.assertIn(f"{r['critical_load']:.6g}", r["warnings"][0])
        self.assertIn(f"{exact:.6g}", r["warnings"][0])

    def test_leading_is_twice_the_load(self):
        for load in (0.01, 0.25, 0.499):
            r = result("free-entropy", "--load", str(load), "--candidates", "50", "--method", "leading")
            self.assertAlmostEqual(r["overlap"], 2 * load, places=14)
            self.assertAlmostEqual(r["slope"], -1 / (1 - 2 * load), delta=1e-10)
            self.assertEqual(r["critical_load"], 0.5)

    def test_margin_costs_overlap(self):
        free = result("free-entropy", "--load", "0.2", "--candidates", "100")
        margin = result("free-entropy", "--load", "0.2", "--candidates", "100", "--margin", "1")
        self.assertLess(margin["free_entropy"], free["free_entropy"])
        self.assertLess(margin["critical_load"], free["critical_load"])
        self.assertEqual(margin["input"]["margin"], 1)

    def test_quenched_is_the_same_for_any_number_of_threads(self):
        arguments = ("free-entropy", "--load", "0.4", "--candidates", "30", "--method", "quenched",
                     "--samples", "400", "--seed", "7", "--format", "json")
        outputs = [run(*arguments, env={**os.environ, "OMP_NUM_THREADS": n}).stdout for n in "12"]
        self.assertEqual(outputs[0], outputs[1])
        r = json.loads(outputs[0])
        self.assertEqual({k: r["input"][k] for k in ("method", "samples", "seed", "errors")},
                         {"method": "quenched", "samples": 400, "seed": 7,
                          "errors": "one standard error"})
        self.assertIn("one standard error", r["warnings"][0])
        self.assertLess(abs(r["overlap"] - 0.460620), 4 * r["overlap_error"])
        exact = result("capacity", "--dim", "100", "--candidates", "30")["alpha_c"]
        self.assertAlmostEqual(r["critical_load"], exact, places=10)
        other = [*arguments[:-3], "8", *arguments[-2:]]
        self.assertNotEqual(json.loads(run(*other).stdout)["overlap"], r["overlap"])

    def test_a_state_that_is_not_reached_is_not_shown(self):
        done = run("free-entropy", "--load", "0.9607", "--candidates", "100", "--method", "quenched",
                   "--samples", "10", "--format", "json")
        self.assertEqual(done.returncode, NOT_CONVERGED)
        self.assertEqual(done.stderr.count("\n"), 1)
        record = json.loads(done.stdout)
        for key in self.KEYS:
            self.assertIsNone(record[key])
            self.assertIsNone(record[key + "_error"])
        done = run("phase", "--loads", "0.1:0.9607:2", "--candidates", "100", "--method", "quenched",
                   "--samples", "10", "--format", "json")
        self.assertEqual(done.returncode, NOT_CONVERGED)
        record = json.loads(done.stdout)
        self.assertNotEqual(record["status"], "converged")
        self.assertIsNone(record["curve"][1]["overlap"])

    def test_curve(self):
        r = result("phase", "--candidates", "100", "--loads", "0.1:0.5:5")
        self.assertEqual([row["load"] for row in r["curve"]][::4], [0.1, 0.5])
        self.assertAlmostEqual(r["curve"][0]["overlap"], 0.135692, delta=6e-7)
        self.assertAlmostEqual(r["curve"][-1]["free_entropy"], -0.693405, delta=6e-7)
        for row in r["curve"]:
            self.assertEqual(row["status"], "converged")
            alone = result("free-entropy", "--candidates", "100", "--load", repr(row["load"]))
            for key in self.KEYS:
                self.assertLess(abs(row[key] - alone[key]),
                                1e-13 + row[key + "_error"] + alone[key + "_error"])
        r = result("phase", "--candidates", "1000", "--method", "leading")
        self.assertEqual(len(r["curve"]), 50)
        self.assertAlmostEqual(r["curve"][0]["load"], 0.01, places=14)
        self.assertAlmostEqual(r["curve"][-1]["load"], 0.49, places=14)
        r = result("phase", "--candidates", "100", "--loads", "0.3:0.3:1")
        self.assertEqual([row["load"] for row in r["curve"]], [0.3])
        self.assertEqual(r["input"]["loads"], 1)

    def test_formats(self):
        arguments = ("phase", "--candidates", "100", "--loads", "0.1:0.5:3")
        rows = result(*arguments)["curve"]
        text = run(*arguments, "--format", "csv").stdout
        for row, cells in zip(rows, csv.DictReader(l for l in io.StringIO(text)
                                                   if not l.startswith("#")), strict=True):
            self.assertEqual(list(row), list(cells))
            self.assertEqual(float(cells["overlap"]), row["overlap"])
        lines = run(*arguments).stdout.splitlines()
        head = next(i for i, line in enumerate(lines) if line.split()[:3] == ["load", "overlap", "+-"])
        self.assertEqual(len(lines), head + 4)
        self.assertRegex(lines[head + 1], r"^ *0\.1  0\.1356917\d*  \d\.\de-\d\d  ")
        self.assertIn("errors = bound", " ".join(lines[:head]))


class Scores(unittest.TestCase):
    LAWS = ("target", "competitor", "maximum")

    def check(self, r):
        rows = r["laws"]
        step = rows[1]["score"] - rows[0]["score"]
        for law in self.LAWS:
            density = [row[law + "_density"] for row in rows]
            distribution = [row[law + "_distribution"] for row in rows]
            self.assertLess(distribution[0], 1e-3)
            self.assertGreater(distribution[-1], 0.999)
            self.assertEqual(distribution, sorted(distribution))
            self.assertAlmostEqual(sum(density) * step, 1, places=3)
            mean = sum(d * row["score"] for d, row in zip(density, rows)) * step
            self.assertAlmostEqual(mean, r[law + "_mean"], delta=5e-3)
            square = sum(d * (row["score"] - r[law + "_mean"])**2 for d, row in zip(density, rows)) * step
            self.assertAlmostEqual(math.sqrt(square), r[law + "_sd"], delta=5e-3)
            for row in rows:
                self.assertLess(row[law + "_density_error"], 1e-6)
        self.assertEqual(r["status"], "converged")

    def test_at_capacity(self):
        r = result("scores", "--rule", "optimal", "--at-capacity", "--candidates", "1000",
                   "--points", "401")
        self.assertEqual(len(r["laws"]), 401)
        self.check(r)
        threshold = result("threshold", "--candidates", "1000")
        self.assertAlmostEqual(r["target_mean"], threshold["target_mean"], places=12)
        self.assertAlmostEqual(r["target_sd"], threshold["target_sd"], places=12)
        self.assertEqual(r["threshold"], threshold["median"])
        self.assertAlmostEqual(r["competitor_mean"], -r["target_mean"] / 999, places=12)
        memory = result("capacity", "--dim", "100", "--candidates", "1000")
        self.assertAlmostEqual(r["tied_competitors"], memory["statistical_dimension"], places=9)
        self.assertAlmostEqual(r["critical_load"], memory["alpha_c"], places=11)
        self.assertEqual(r["input"]["load"], "at capacity")
        self.assertEqual(r["input"]["method"], "exact")
        self.assertEqual(r["warnings"], [])

    def test_below_capacity(self):
        r = result("scores", "--load", "0.5", "--candidates", "1000", "--points", "401")
        self.check(r)
        self.assertEqual(r["tied_competitors"], 0)
        self.assertLess(0.5, r["overlap_area"])
        self.assertLess(r["overlap_area"], 0.95)
        self.assertGreater(r["target_mean"], r["maximum_mean"])
        self.assertIn(f"{r['critical_load']:.6g}", r["warnings"][0])
        self.assertEqual(r["input"]["rule"], "optimal")
        self.assertEqual(len(result("scores", "--load", "0.5", "--candidates", "1000")["laws"]), 81)

    def test_hebbian(self):
        r = result("scores", "--rule", "hebbian", "--dim", "128", "--load", "0.25", "--points", "9")
        p = r["input"]["facts"]
        self.assertAlmostEqual(p * math.log(p) / 128**2, 0.25, places=12)
        self.assertEqual(r["target_mean"], 1)
        self.assertAlmostEqual(r["target_sd"]**2, 4 / 128 + 4 / 128**2 + (p - 1) / 128**2, places=12)
        self.assertLess(r["maximum_mean"], 1)
        self.assertIsNone(r["threshold"])
        self.assertEqual(len(r["laws"]), 9)
        self.assertEqual(r["status"], "converged")
        sphere = result("scores", "--rule", "hebbian", "--dim", "128", "--load", "0.25",
                        "--candidates", "1000", "--embeddings", "unit-sphere", "--points", "2")
        self.assertAlmostEqual(sphere["input"]["facts"], 0.25 * 128**2 / math.log(1000), places=9)
        self.assertLess(sphere["target_sd"], r["target_sd"])
        for arguments, part in ((("--load", "0.2"), "needs dimensions"),
                                (("--dim", "128"), "rule hebbian needs --load A"),
                                (("--dim", "128", "--load", "1e-9"), "load = 1e-09: must be at least"),
                                (("--dim", "128", "--load", "0.2", "--margin", "1"), "rule optimal"),
                                (("--dim", "128", "--at-capacity"), "rule optimal"),
                                (("--dim", "5", "--load", "0.2"), "dim_in = 5: must be from 8")):
            self.refused(("scores", "--rule", "hebbian", *arguments), part)
        self.refused(("scores", "--load", "0.2"), "needs --candidates")
        self.refused(("scores", "--load", "0.2", "--candidates", "100", "--dim", "9"), "rule hebbian")

    def refused(self, arguments, part):
        done = run(*arguments)
        self.assertEqual(done.returncode, BAD_INPUT, arguments)
        self.assertIn(part, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_margin_shifts_the_target(self):
        r = result("scores", "--at-capacity", "--candidates", "100", "--margin", "3", "--points", "2")
        self.assertAlmostEqual(r["target_mean"] - r["maximum_mean"], 3, places=6)
        self.assertLess(r["overlap_area"], 1e-6)

    def test_formats(self):
        arguments = ("scores", "--at-capacity", "--candidates", "100", "--points", "5")
        r = result(*arguments)
        text = run(*arguments, "--format", "csv").stdout
        rows = list(csv.DictReader(l for l in io.StringIO(text) if not l.startswith("#")))
        self.assertEqual([float(row["maximum_density"]) for row in rows],
                         [row["maximum_density"] for row in r["laws"]])
        self.assertIn(f"# target_mean = {r['target_mean']}", text)
        self.assertIn("target_distribution", run(*arguments).stdout)


class BadInput(unittest.TestCase):
    CASES = [
        ("command '': must be capacity",),
        ("command 'frobnicate': must be capacity", "frobnicate", "--dim", "3"),
        ("not expected: --frobnicate", "--frobnicate"),
        ("capacity needs dimensions", "capacity"),
        ("dim = 0: must be a whole number", "capacity", "--dim", "0"),
        ("dim = -3: must be a whole number", "capacity", "--dim", "-3"),
        ("dim = nan", "capacity", "--dim", "nan"),
        ("dim = inf", "capacity", "--dim", "inf"),
        ("dim = 2.5", "capacity", "--dim", "2.5"),
        ("dim = '10x'", "capacity", "--dim", "10x"),
        ("dim = ''", "capacity", "--dim", ""),
        ("dim = '1 2'", "capacity", "--dim", "1 2"),
        ("dim = '0x10'", "capacity", "--dim", "0x10"),
        ("dim = 1e400: must be zero or in size within the range of double, 4.9e-324 to 1.79e308",
         "capacity", "--dim", "1e400"),
        ("margin = 1e-400: must be zero or", "capacity", "--dim", "9", "--margin", "1e-400"),
        ("dim = 5e-324: must be a whole number", "capacity", "--dim", "4.9e-324"),
        ("dim = 1: d_in d_out R = 1 must be at least the 27",
         "capacity", "--dim", "1", "--margin", "5"),
        ("dim_in = 1, dim_out = 2: d_in d_out R = 2 must be",
         "capacity", "--dim-in", "1", "--dim-out", "2", "--margin", "5"),
        ("dim = 1e+101", "capacity", "--dim", "1e101"),
        ("--dim-in requires --dim-out", "capacity", "--dim-in", "10"),
        ("--dim excludes", "capacity", "--dim", "3", "--dim-in", "3", "--dim-out", "3"),
        ("candidates = 1: ", "capacity", "--dim", "5", "--candidates", "1"),
        ("candidates = 2.5: ", "capacity", "--dim", "5", "--candidates", "2.5"),
        ("candidates = -2: ", "capacity", "--dim", "5", "--candidates", "-2"),
        ("candidates = nan: ", "capacity", "--dim", "5", "--candidates", "nan"),
        ("candidates = inf: ", "threshold", "--candidates", "inf"),
        ("facts = 0: ", "capacity", "--facts", "0"),
        ("facts = -7: ", "capacity", "--facts", "-7"),
        ("facts = nan: ", "capacity", "--facts", "nan"),
        ("rank = 11: must be a whole number from 1 to 10 = min(dim_in, dim_out)",
         "capacity", "--dim", "10", "--rank", "11"),
        ("rank = 0: ", "capacity", "--dim", "10", "--rank", "0"),
        ("rank_ratio = 0: must be in (0, 1]", "capacity", "--dim", "10", "--rank-ratio", "0"),
        ("rank_ratio = 1.5", "capacity", "--dim", "10", "--rank-ratio", "1.5"),
        ("rank_ratio = nan", "spectrum", "--rank-ratio", "nan"),
        ("--rank excludes --rank-ratio",
         "capacity", "--dim", "10", "--rank", "5", "--rank-ratio", "0.5"),
        ("margin = -1: must be from 0 to 50", "capacity", "--dim", "10", "--margin", "-1"),
        ("margin = nan", "capacity", "--dim", "10", "--margin", "nan"),
        ("tail = 1: must be in the open interval (0, 1)",
         "capacity", "--dim", "10", "--rule", "listwise", "--tail", "1"),
        ("tail = 0: ", "capacity", "--dim", "10", "--rule", "listwise", "--tail", "0"),
        ("needs --tail", "capacity", "--dim", "10", "--rule", "listwise"),
        ("belongs to rule listwise", "capacity", "--dim", "10", "--tail", "0.5"),
        ("belongs to rule hebbian", "capacity", "--dim", "10", "--recall", "strict"),
        ("'best' must be one of optimal, hebbian, listwise",
         "capacity", "--dim", "10", "--rule", "best"),
        ("'fast' must be one of exact", "capacity", "--dim", "10", "--method", "fast"),
        ("'xml' must be one of text, json, csv", "capacity", "--dim", "10", "--format", "xml"),
        ("--candidates is required", "threshold"),
        ("aspect = 2: must be in (0, 1]", "spectrum", "--rank-ratio", "0.5", "--aspect", "2"),
        *((f"points = {value}: must be a whole number from 2 to 100000",
           "spectrum", "--rank-ratio", "0.5", "--points", value)
          for value in ("0", "1", "2.5", "1000000", "nan", "inf")),
        *((f"load = {shown}: must be above 0 and below 0.917747908", command, *rest)
          for shown, given in (("0", "0"), ("-1", "-1"), ("nan", "nan"), ("inf", "inf"),
                               ("0.92", "0.92"), ("0.9178", "0.9178"))
          for command, *rest in (("free-entropy", "--candidates", "100", "--load", given),
                                 ("scores", "--candidates", "100", "--load", given))),
        ("load = 0.5: must be above 0 and below 0.5, where the leading theory's",
         "free-entropy", "--load", "0.5", "--candidates", "100", "--method", "leading"),
        ("where the quenched theory's",
         "free-entropy", "--load", "0.97", "--candidates", "100", "--method", "quenched"),
        ("--load is required", "free-entropy", "--candidates", "100"),
        ("--candidates is required", "free-entropy", "--load", "0.1"),
        ("--candidates is required", "phase"),
        ("rule optimal needs --candidates K", "scores", "--load", "0.1"),
        *((f"candidates = {k}: must be a whole number", command, "--load", "0.1", "--candidates", k)
          for k in ("1", "2.5", "nan", "inf") for command in ("free-entropy", "scores")),
        ("candidates = 1e+50 (logarithm 115.1", "free-entropy", "--load", "0.1", "--candidates", "1e50"),
        ("at most 10000000 for quenched", "free-entropy", "--load", "0.1", "--candidates", "1e8",
         "--method", "quenched"),
        ("margin = -1: must be from 0 to 50",
         "free-entropy", "--load", "0.1", "--candidates", "9", "--margin", "-1"),
        ("margin = 51: must be from 0 to 50", "scores", "--at-capacity", "--candidates", "9",
         "--margin", "51"),
        *((f"{option}: belongs to method quenched", command, *rest, "--candidates", "9",
           "--" + option, "5")
          for option in ("samples", "seed")
          for command, *rest in (("free-entropy", "--load", "0.1"), ("phase",),
                                 ("phase", "--method", "leading"))),
        *((f"samples = {given}: must be a whole number from 2 to 1000000000", "free-entropy",
           "--load", "0.1", "--candidates", "9", "--method", "quenched", "--samples", given)
          for given in ("0", "1", "-5", "2.5", "2000000000", "nan")),
        ("seed = -1: must be a whole number from 0", "free-entropy", "--load", "0.1",
         "--candidates", "9", "--method", "quenched", "--seed", "-1"),
        ("'fast' must be one of leading, mean-field, quenched",
         "phase", "--candidates", "9", "--method", "fast"),
        *((f"loads = '{given}': must be A:B:N", "phase", "--candidates", "9", "--loads", given)
          for given in ("", "0.1", "0.1:0.5", "0.1:0.2:3:4")),
        *((f"loads = '{part}': must be a number", "phase", "--candidates", "9", "--loads", given)
          for part, given in (("", "::"), ("x", "0.1:x:3"), ("3 ", "0.1:0.2:3 "), (" 0.2", "0.1: 0.2:3"))),
        *((f"N in loads = {n}: must be a whole number from 1 to 10000",
           "phase", "--candidates", "9", "--loads", f"0.1:0.2:{n}") for n in ("0", "2.5", "10001")),
        *((f"loads = '{given}': A:B:N must be finite with A < B", "phase", "--candidates", "9",
           "--loads", given) for given in ("0.2:0.1:3", "0.1:0.1:2", "0.1:0.2:1", "0.1:inf:2",
                                           "nan:0.2:2")),
        ("load = 0.95: must be above 0 and below 0.917747908",
         "phase", "--candidates", "100", "--loads", "0.1:0.95:3"),
        ("load = 0: must be above 0", "phase", "--candidates", "100", "--loads", "0:0.5:3"),
        ("scores needs --load A or --at-capacity", "scores", "--candidates", "9"),
        ("--load excludes --at-capacity",
         "scores", "--candidates", "9", "--load", "0.1", "--at-capacity"),
        *((f"points = {given}: must be a whole number from 2 to 10000",
           "scores", "--candidates", "9", "--at-capacity", "--points", given)
          for given in ("0", "1", "2.5", "10001", "nan")),
        ("must be one of optimal", "scores", "--candidates", "9", "--at-capacity", "--rule", "best"),
        ("not expected: spectrum", "capacity", "--dim", "10", "spectrum"),
        ("spectrum", "capacity", "--dim", "10", "spectrum", "--rank-ratio", "0.5"),
        ("table 'capacity': must be one of", "table", "capacity"),
        ("table 'nonesuch': must be one of critical_load_facts", "table", "nonesuch"),
        ("table needs a NAME", "table"),
        ("needs --out DIR or --check DIR", "table", "--all"),
        ("--out: '' must name a directory", "table", "rules", "--out", ""),
        ("--check: '' must name a directory", "table", "rules", "--check", ""),
        (r"command 'a\x0d\x0a\x1b[31m\x7f\x01b': must be", "a\r\n\x1b[31m\x7f\x01b"),
        (r"dim = 'a\x0a\x1bb': must be", "capacity", "--dim", "a\n\x1bb"),
        (r"'\x0dxml' must be one of", "capacity", "--dim", "9", "--format", "\rxml"),
    ]

    def test_one_line_names_it_and_exit_code_is_two(self):
        for expected, *arguments in self.CASES:
            with self.subTest(arguments=arguments):
                done = run(*arguments)
                self.assertEqual(done.returncode, BAD_INPUT, done.stderr)
                self.assertEqual(done.stdout, "")
                self.assertRegex(done.stderr, r"\Alamcap: [^\x00-\x1f\x7f]+\n\Z")
                self.assertIn(expected, done.stderr)

    def test_exit_code_is_right_where_standard_error_takes_nothing(self):
        for code, *arguments in ((BAD_INPUT, "capacity", "--dim", "0"),
                                 (BAD_INPUT, "frobnicate"),
                                 (NOT_CONVERGED, "capacity", "--facts", "1e308"),
                                 (IO_ERROR, "table", "rules", "--check", "/nonexistent"),
                                 (GOOD, "--version"), (GOOD, "capacity", "--dim", "9")):
            for redirection in ("2>&-", "2>/dev/full"):
                with self.subTest(arguments=arguments, redirection=redirection):
                    done = subprocess.run(["sh", "-c", f'exec "$0" "$@" {redirection}', PROGRAM,
                                           *arguments], stdout=subprocess.DEVNULL, timeout=60)
                    self.assertEqual(done.returncode, code)

    def test_want_of_memory_is_said(self):
        def limited(*arguments):
            return run(*arguments, preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_AS, (48_000_000, 48_000_000)))
        if limited("--version").returncode != GOOD:
            self.skipTest("this build does not even start within the limit")
        done = limited("spectrum", "--rank-ratio", "0.5", "--points", "100000")
        self.assertEqual(done.returncode, NOT_CONVERGED)
        self.assertEqual(done.stderr, "lamcap: out of memory\n")


class Tables(unittest.TestCase):
    NAMES = ["critical_load_facts", "critical_load_rank", "critical_load_rectangular",
             "critical_load_margin", "capacity_by_dimension", "extreme_value", "rules",
             "hebbian_accuracy", "separability_measured", "free_entropy", "score_laws"]

    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.directory)

    def test_committed_tables_are_what_the_program_makes(self):
        done = run("table", "--all", "--check", str(TABLES))
        self.assertEqual(done.returncode, GOOD, done.stderr)
        self.assertEqual(done.stdout.count("rows agree"), len(self.NAMES))

    def test_every_table_is_listed_and_explained(self):
        listed = json.loads(run("table", "--list", "--format", "json").stdout)["tables"]
        self.assertEqual([entry["name"] for entry in listed], self.NAMES)
        readme = " ".join((TABLES / "README.md").read_text().split())
        for entry in listed:
            self.assertIn(f"`{entry['name']}`", readme)
            self.assertIn(entry["claim"], readme)

    def test_columns_come_with_errors_and_numbers_round_trip(self):
        done = run("table", "--all", "--out", str(self.directory))
        self.assertEqual(done.returncode, GOOD, done.stderr)
        self.assertEqual(sorted(os.listdir(self.directory)), sorted(n + ".csv" for n in self.NAMES))
        for name in self.NAMES:
            text = (self.directory / (name + ".csv")).read_text()
            self.assertIn(f"lamcap table {name}", text.splitlines()[0])
            rows = list(csv.DictReader(l for l in io.StringIO(text) if not l.startswith("#")))
            self.assertGreater(len(rows), 5)
            for row in rows:
                for column, cell in row.items():
                    self.assertNotIn(cell.lower(), ("", "nan", "inf", "-inf"))
                    if column + "_error" in row:
                        self.assertGreaterEqual(float(row[column + "_error"]), 0)

    def test_check_names_the_first_cell_that_differs(self):
        run("table", "critical_load_rank", "--out", str(self.directory))
        path = self.directory / "critical_load_rank.csv"
        original = path.read_text()
        # beyond the error
        path.write_text(original.replace("0.4468653969390", "0.4468653969490"))
        done = run("table", "critical_load_rank", "--check", str(self.directory))
        self.assertEqual(done.returncode, DIFFERENT)
        self.assertIn("row 50 (0.5), column alpha_c: found 0.44686539694", done.stderr)
        # a bound off by orders of magnitude
        first = next(l for l in original.splitlines() if l.startswith("0.01,"))
        cells = first.split(",")
        cells[2] = repr(float(cells[2]) * 1e-4)
        path.write_text(original.replace(first, ",".join(cells)))
        done = run("table", "critical_load_rank", "--check", str(self.directory))
        self.assertEqual(done.returncode, DIFFERENT)
        self.assertIn("row 1 (0.01), column cutoff_error", done.stderr)
        # missing last row, missing column, a word, an added cell
        lines = original.splitlines()
        for broken in ("\n".join(lines[:-1]), original.replace("cutoff,", "cut,"),
                       original.replace("\n0.03,", "\nthree,"), original.rstrip("\n") + ",1\n", ""):
            path.write_text(broken)
            done = run("table", "critical_load_rank", "--check", str(self.directory))
            self.assertEqual(done.returncode, DIFFERENT, broken[-80:])
            self.assertEqual(done.stderr.count("\n"), 1)
        # within and beyond the sum of both bounds
        cells = lines[-51].split(",")
        self.assertEqual(cells[0], "0.5")
        value, bound = float(cells[3]), float(cells[4])
        for factor, code in ((1.5, GOOD), (-1.5, GOOD), (2.5, DIFFERENT), (-2.5, DIFFERENT)):
            moved = ",".join([*cells[:3], repr(value + factor * bound), *cells[4:]])
            path.write_text(original.replace(lines[-51], moved))
            done = run("table", "critical_load_rank", "--check", str(self.directory))
            self.assertEqual(done.returncode, code, done.stderr)

    def test_check_compares_the_header_but_not_the_version(self):
        run("table", "rules", "--out", str(self.directory))
        path = self.directory / "rules.csv"
        lines = path.read_text().splitlines(keepends=True)
        headers = [line for line in lines if line.startswith("#")]
        for i, line in enumerate(headers):
            for replacement in (line.rstrip("\n") + "?\n", ""):
                path.write_text("".join([*lines[:i], replacement, *lines[i + 1:]]))
                done = run("table", "rules", "--check", str(self.directory))
                self.assertEqual(done.returncode, DIFFERENT)
                self.assertIn(f"rules.csv: header line {i + 1}: found '", done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)
        for edited, expected in (("".join([*lines, "# one more\n"]),
                                  f"header line {len(headers) + 1}: found '# one more', made 'nothing'"),
                                 ("".join(lines).replace("lamcap table rules", "lamcap table x"),
                                  "header line 1: found")):
            path.write_text(edited)
            done = run("table", "rules", "--check", str(self.directory))
            self.assertEqual(done.returncode, DIFFERENT)
            self.assertIn(expected, done.stderr)
        path.write_text("# lamcap 9.8.7:" + "".join(lines).split(":", 1)[1])
        self.assertEqual(run("table", "rules", "--check", str(self.directory)).returncode, GOOD)

    def test_only_regular_files_of_sane_size_are_read_or_replaced(self):
        path = self.directory / "rules.csv"
        os.mkfifo(path)
        for option in ("--check", "--out"):
            done = run("table", "rules", option, str(self.directory))
            self.assertEqual(done.returncode, IO_ERROR)
            self.assertIn("rules.csv: not a regular file", done.stderr)
        self.assertTrue(path.is_fifo())
        path.unlink()
        path.symlink_to("/dev/zero")
        done = run("table", "rules", "--check", str(self.directory))
        self.assertEqual(done.returncode, IO_ERROR)
        self.assertIn("not a regular file", done.stderr)
        path.unlink()
        with path.open("wb") as file:
            file.truncate(65_000_000)
        done = run("table", "rules", "--check", str(self.directory))
        self.assertEqual(done.returncode, IO_ERROR)
        self.assertIn("larger than 64000000 bytes", done.stderr)
        # a link to a good file is followed
        run("table", "rules", "--out", str(self.directory / "elsewhere"))
        path.unlink()
        path.symlink_to("elsewhere/rules.csv")
        self.assertEqual(run("table", "rules", "--check", str(self.directory)).returncode, GOOD)

    def test_links_are_written_through(self):
        (self.directory / "elsewhere").mkdir()
        path = self.directory / "rules.csv"
        target = self.directory / "elsewhere" / "kept.csv"
        path.symlink_to("elsewhere/kept.csv")
        for before in (None, "old"):  # dangling, then not
            if before is not None:
                target.write_text(before)
            done = run("table", "rules", "--out", str(self.directory))
            self.assertEqual(done.returncode, GOOD, done.stderr)
            self.assertEqual(os.readlink(path), "elsewhere/kept.csv")
            self.assertTrue(target.read_text().startswith("# lamcap "))
            self.assertEqual(os.listdir(target.parent), ["kept.csv"])
        path.unlink()
        path.symlink_to("rules.csv")
        done = run("table", "rules", "--out", str(self.directory))
        self.assertEqual(done.returncode, IO_ERROR)
        self.assertTrue(path.is_symlink())

    def test_temporaries_of_killed_processes_are_removed(self):
        ended = subprocess.Popen(["true"])
        ended.wait()
        left = self.directory / f"rules.csv.{ended.pid}.tmp"
        others = [f"rules.csv.{os.getpid()}.tmp", "rules.csv.x.tmp", f"rules.csv.{ended.pid}.tmpx",
                  f"rules.csv.0{ended.pid}.tmp", f"extreme_value.csv.{ended.pid}.tmp"]
        for name in (left.name, *others):
            (self.directory / name).write_text("half a ta")
        self.assertEqual(run("table", "rules", "--out", str(self.directory)).returncode, GOOD)
        self.assertEqual(sorted(os.listdir(self.directory)), sorted(["rules.csv", *others]))

    def test_a_failed_write_leaves_nothing_behind(self):
        def run_with_small_files(directory):  # SIGXFSZ stays ignored: writing fails instead
            return run("table", "rules", "--out", str(directory), restore_signals=False,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
        done = run_with_small_files(self.directory / "new" / "inner")
        self.assertEqual(done.returncode, IO_ERROR)
        self.assertIn("cannot write", done.stderr)
        self.assertIn("new/inner/rules.csv: File too large", done.stderr)
        self.assertEqual(os.listdir(self.directory), [])
        (self.directory / "old").mkdir()
        (self.directory / "old" / "rules.csv").write_text("as it was")
        self.assertEqual(run_with_small_files(self.directory / "old").returncode, IO_ERROR)
        self.assertEqual(os.listdir(self.directory / "old"), ["rules.csv"])
        self.assertEqual((self.directory / "old" / "rules.csv").read_text(), "as it was")

    def test_unwritable_and_unreadable_places(self):
        blocked = self.directory / "file"
        blocked.write_text("")
        for option in ("--out", "--check"):
            done = run("table", "rules", option, str(blocked / "inside"))
            self.assertEqual(done.returncode, IO_ERROR)
            self.assertEqual(done.stderr.count("\n"), 1)
            self.assertIn("inside", done.stderr)
        done = run("table", "rules", "--check", str(self.directory))
        self.assertEqual(done.returncode, IO_ERROR)
        self.assertIn("rules.csv", done.stderr)
        # a directory stands where the file should go: nothing half-written stays
        (self.directory / "rules.csv" / "x").mkdir(parents=True)
        done = run("table", "rules", "--out", str(self.directory))
        self.assertEqual(done.returncode, IO_ERROR)
        self.assertEqual(sorted(os.listdir(self.directory)), ["file", "rules.csv"])
        if os.path.exists("/dev/full"):
            with open("/dev/full", "w") as full:
                for arguments in (["capacity", "--dim", "9"], ["--help"],
                                  ["capacity", "--facts", "1e308"],
                                  ["spectrum", "--rank-ratio", "0.5", "--points", "20000"]):
                    done = subprocess.run([PROGRAM, *arguments], stdout=full,
                                          stderr=subprocess.PIPE, text=True)
                    self.assertEqual(done.returncode, IO_ERROR, arguments)
                    self.assertEqual(done.stderr.count("\n"), 1)

    def test_printed_in_each_format(self):
        record = json.loads(run("table", "rules", "--format", "json").stdout)
        self.assertEqual(len(record["rows"]), 60)
        self.assertEqual(record["rows"][0]["dim"], 64)
        self.assertTrue(run("table", "rules", "--format", "csv").stdout.startswith("# lamcap "))
        self.assertIn("hebbian strict", run("table", "rules").stdout)


class NotConverged(unittest.TestCase):
    def test_a_number_that_is_not_reached_is_not_shown(self):
        # p log K / d^2 is beyond double; the verdict is not
        done = run("capacity", "--facts", "1.7e308", "--dim", "10", "--format", "json")
        self.assertEqual(done.returncode, NOT_CONVERGED)
        self.assertEqual(done.stderr.count("\n"), 1)
        record = json.loads(done.stdout)
        self.assertNotEqual(record["status"], "converged")
        self.assertIsNone(record["load"])
        self.assertIs(record["below_capacity"], False)
        self.assertIsNotNone(record["alpha_c"])
        # the dimension overflows
        done = run("capacity", "--facts", "1e308", "--format", "json")
        self.assertEqual(done.returncode, NOT_CONVERGED)
        record = json.loads(done.stdout)
        self.assertIsNone(record["dim"])
        self.assertIsNone(record["dim_ceiling"])


class Help(unittest.TestCase):
    def test_every_command_has_help_with_an_example(self):
        self.assertIn("Example", run("--help").stdout)
        for command in COMMANDS:
            done = run(command, "--help")
            self.assertEqual(done.returncode, GOOD)
            self.assertIn("Example", done.stdout)
            self.assertIn("--format text|json|csv", done.stdout)

    def test_every_command_is_listed(self):
        text = run("--help").stdout
        for command in COMMANDS:
            self.assertRegex(text, rf"\n  {command} +[A-Z]")
            self.assertIn(command, run("nonesuch").stderr)

    def test_examples_in_the_help_work(self):
        for command in COMMANDS:
            for line in run(command, "--help").stdout.splitlines():
                example = line.strip().removeprefix("Example: ").split()
                if example[:1] == ["lamcap"] and not {"--out", "--check", "--inputs"} & set(example):
                    self.assertEqual(run(*example[1:]).returncode, GOOD, line)

    def test_version(self):
        done = run("--version")
        self.assertEqual(done.returncode, GOOD)
        self.assertRegex(done.stdout, r"^lamcap \d+\.\d+\.\d+\n$")


class Readme(unittest.TestCase):
    def test_example_is_the_compiled_one(self):
        self.assertIn((PROJECT / "tests" / "readme_example.cpp").read_text(),
                      (PROJECT / "README.md").read_text())
        done = subprocess.run([EXAMPLE], capture_output=True, text=True, timeout=60)
        self.assertTrue(done.stdout.startswith("867136.393 facts"), done.stdout)
        self.assertIn("by one head, converged", done.stdout)

    def test_no_placeholder_is_left(self):
        self.assertNotRegex((PROJECT / "README.md").read_text(), "@[A-Z]+@")

    def test_its_command_lines_work(self):
        commands = [line.split("#")[0].split()[1:] for line in
                    (PROJECT / "README.md").read_text().splitlines() if line.startswith("lamcap ")]
        self.assertGreater(len(commands), 5)
        with tempfile.TemporaryDirectory() as directory:
            for command in commands:
                self.assertEqual(run(*command, cwd=directory).returncode, GOOD, command)


class Accuracy(unittest.TestCase):
    def test_record(self):
        done = run("accuracy", "--rule", "hebbian", "--dim", "128", "--facts", "634", "--format", "json")
        self.assertEqual(done.returncode, GOOD, done.stderr)
        record = json.loads(done.stdout)
        self.assertEqual(record["status"], "converged")
        self.assertAlmostEqual(record["accuracy"], 0.8805, delta=0.003)  # simulated
        self.assertAlmostEqual(record["load"], 634 * math.log(634) / 128**2)
        self.assertGreater(record["facts_at_level"], record["facts_at_all_level"])
        for name in ["accuracy", "all_recalled", "facts_at_level", "facts_at_all_level"]:
            self.assertLess(record[name + "_error"], 1e-6 * max(1, record[name]))
        self.assertIn("independent", record["warnings"][0])
        sphere = run("accuracy", "--dim-in", "128", "--dim-out", "128", "--facts", "634",
                     "--embeddings", "unit-sphere", "--level", "0.9", "--format", "json")
        self.assertGreater(json.loads(sphere.stdout)["accuracy"], record["accuracy"])

    def test_bad_input_is_named(self):
        for message, *arguments in [
                ("dim_in = 7: must be from 8", "--dim", "7", "--facts", "3"),
                ("accuracy needs dimensions", "--facts", "3"),
                ("accuracy needs --facts", "--dim", "64"),
                ("level = 1: must be in the open interval", "--dim", "64", "--level", "1")]:
            done = run("accuracy", *arguments)
            self.assertEqual(done.returncode, BAD_INPUT, done.stderr)
            self.assertIn(message, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
