#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Mean-field energy E_K(q) and resistance S(q) of the replica free entropy, to 20 digits.

From the definitions, by trapezoidal sums in 34-digit arithmetic: no potential is interpolated, no
kink is split off, and nothing is shared with the library.  --check repeats every sum with spacings
divided by 1.3.
"""
import mpmath as mp

from table import main

mp.mp.dps = 34

CASES = [(2, 0, "0.1"), (2, 0, "0.6"), (2, 1, "0.6"), (10, 0, "0.8"), (100, 0, "0.001"),
         (100, 0, "0.3"), (100, "0.5", "0.5"), (10**4, 0, "0.6"), (10**6, 2, "0.4"),
         (10**12, 0, "0.2"), (10**12, 0, "0.7")]


def log_cdf(v):
    return mp.log(mp.erfc(-v / mp.sqrt(2)) / 2)


def squared_force(v):
    return (mp.npdf(v) / (mp.erfc(-v / mp.sqrt(2)) / 2)) ** 2


def energy(candidates, margin, q, fine):
    """(E, S) with all spacings divided by `fine`."""
    n = mp.mpf(candidates) - 1
    s = mp.sqrt(1 - q)
    root = mp.sqrt(q)
    xi_step = mp.mpf("0.3") * min(1, s / root) / fine
    reach = mp.mpf("9.5")
    potentials = {}

    def potential(h):
        if h not in potentials:
            y = h - margin
            total = mp.mpf(0)
            force = mp.mpf(0)
            k = int(mp.floor(-reach / xi_step))
            while k * xi_step < reach + max(0, y):
                xi = k * xi_step
                v = (y - root * xi) / s
                weight = xi_step * mp.npdf(xi)
                total += weight * log_cdf(v)
                force += weight * squared_force(v)
                k += 1
            potentials[h] = (n * total, n * force)
        return potentials[h]

    # One grid of h for all xi_0, fine enough for the narrowest law.
    h_step = s / mp.sqrt(1 + 2 * mp.log(candidates)) * mp.mpf("0.35") / fine
    target_step = mp.mpf("0.4") / fine
    value = mp.mpf(0)
    resistance = mp.mpf(0)
    i = int(mp.floor(-reach / target_step))
    while i * target_step < reach:
        xi = i * target_step
        x = root * xi
        i += 1

        def exponent(k):
            h = k * h_step
            return -((h - x) / s) ** 2 / 2 + potential(h)[0]

        top = int(mp.nint(max(x, mp.mpf(1)) / h_step))
        step = 16
        best = exponent(top)
        while step:
            moved = False
            for direction in (1, -1):
                value_there = exponent(top + direction * step)
                if value_there > best:
                    best = value_there
                    top += direction * step
                    moved = True
                    break
            if not moved:
                step //= 2
        norm = shift = force = mp.mpf(0)
        for direction in (1, -1):
            k = 0 if direction > 0 else 1
            while True:
                h = (top + direction * k) * h_step
                weight = mp.exp(exponent(top + direction * k) - best)
                norm += weight
                shift += weight * (h - x)
                force += weight * potential(h)[1]
                if weight < mp.mpf(10) ** -26:
                    break
                k += 1
        weight = target_step * mp.npdf(xi)
        value += weight * (best + mp.log(norm * h_step / (s * mp.sqrt(2 * mp.pi))))
        resistance += weight * ((shift / norm) ** 2 + s ** 2 * force / norm)
    return value, resistance


def build(check):
    fine = mp.mpf("1.3") if check else mp.mpf(1)
    rows = []
    for candidates, margin, q in CASES:
        value, resistance = energy(candidates, mp.mpf(margin), mp.mpf(q), fine)
        rows.append([str(candidates), str(margin), q, value, resistance])
    return rows


if __name__ == "__main__":
    main("replica", __doc__.strip().split("\n"), ["K", "margin", "q", "E_K", "S"], build)
