# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the program share.  The environment says where things are: LAMCAP_PROGRAM and
LAMCAP_EXAMPLE (executables), LAMCAP_PROJECT (this project's directory), LAMCAP_MPIRUN (if built with MPI)."""
import json
import os
import pathlib
import subprocess

PROGRAM = os.environ["LAMCAP_PROGRAM"]
EXAMPLE = os.environ["LAMCAP_EXAMPLE"]
PROJECT = pathlib.Path(os.environ["LAMCAP_PROJECT"])
TABLES = PROJECT / "tables"
MPIRUN = os.environ.get("LAMCAP_MPIRUN", "")

GOOD, DIFFERENT, BAD_INPUT, NOT_CONVERGED, IO_ERROR = range(5)


def run(*arguments, **options):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=300, **options)


def result(*arguments):
    """The JSON record of a command that must succeed."""
    done = run(*arguments, "--format", "json")
    assert done.returncode == GOOD, done.stderr
    assert done.stderr == "", done.stderr
    return json.loads(done.stdout, parse_constant=lambda name: (_ for _ in ()).throw(ValueError(name)))
