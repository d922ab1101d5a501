# SPDX-License-Identifier: GPL-3.0-or-later
"""One full-batch Adam step of cross-entropy in PyTorch, as `train` takes it; rate of sgemm; memory.

Prints one line of names and values: the median step, the median rate of a product of two 2048 x 2048
matrices, what the steps added to the peak memory, and the kernels of OpenBLAS.  The threads of
OpenBLAS are set by its environment.
"""

import argparse
import ctypes
import resource
import statistics
import time

import torch

SIDE = 2048  # of the product


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--facts", type=int, default=4000)
    arguments.add_argument("--dim", type=int, default=256)
    arguments.add_argument("--threads", type=int, default=1)
    arguments.add_argument("--steps", type=int, default=5)
    options = arguments.parse_args()
    torch.set_num_threads(options.threads)
    kernels = openblas_kernels()

    step = adam_step(options.facts, options.dim)
    before = peak_bytes()
    step_seconds = median_seconds(step, options.steps)
    memory = peak_bytes() - before
    a, b, c = (torch.rand(SIDE, SIDE) for _ in range(3))
    product_seconds = median_seconds(lambda: torch.mm(a, b, out=c), 5)
    print("step_ms", 1e3 * step_seconds, "sgemm_gflops", 2e-9 * SIDE**3 / product_seconds,
          "step_mb", 1e-6 * memory, "kernels", kernels)


def openblas_kernels():
    """The processor that the OpenBLAS in use takes this one for."""
    with open("/proc/self/maps") as maps:
        paths = {line.split()[-1] for line in maps if "libopenblas" in line}
    if not paths:
        raise SystemExit("pytorch_step: PyTorch has loaded another BLAS than OpenBLAS")
    name = ctypes.CDLL(paths.pop()).openblas_get_corename
    name.restype = ctypes.c_char_p
    return name().decode()


def adam_step(facts, dim):
    """The original problem: p outputs shared by all facts, W from 0."""
    torch.manual_seed(1)
    inputs = torch.randn(facts, dim) / dim**0.5
    outputs = torch.randn(facts, dim) / dim**0.5
    memory = torch.zeros(dim, dim, requires_grad=True)
    targets = torch.arange(facts)
    adam = torch.optim.Adam([memory], lr=0.1, betas=(0.9, 0.999), eps=1e-12)

    def step():
        adam.zero_grad(set_to_none=True)
        # Without a name the logits are freed before the gradients are made.
        loss = torch.nn.functional.cross_entropy((inputs @ memory.T) @ outputs.T, targets)
        loss.backward()
        adam.step()

    return step


def median_seconds(call, repetitions):
    """After a first call, which sets up."""
    call()
    times = []
    for _ in range(repetitions):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def peak_bytes():
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    main()
