"""Maximum of n standard Gaussians: median, quantiles, mean and variance of the law Phi(x)^n.

Quantile at u: the x with H(x) = -expm1(log(u)/n), solved in log H by Newton's method (normal.py).
Moments: trapezoidal rule on the density n phi(x) exp((n-1) log Phi(x)), spacing 1/8 of the Mills ratio
at the median (the law has about that scale; the error is near exp(-8 pi^2) = 5e-35).

50-digit arithmetic, sums cut at 1e-35 relative; 20 digits printed. The mass and the closed forms for
n = 1, 2, 3 are asserted; --check repeats with 70 digits, a finer shifted grid, and the quantiles by root
bracketing on n log Phi(x) = log u.

    python3 extreme_value.py [--check]      a few seconds
"""
from mpmath import mp, mpf
from normal import log_lower, mills, phi, upper_quantile
import table

SIZES = "1 2 3 10 100 1000 1e4 1e6 1e9 1e12 1e50 1e100 1e300".split()
CUT = mpf(10) ** -35


def quantile(u, n, check):
    x = upper_quantile(mp.log(-mp.expm1(mp.log(u) / n)))
    if check:
        x = mp.findroot(lambda y: n * log_lower(y) - mp.log(u), (x - mpf("0.013"), x + mpf("0.011")),
                        solver="anderson", tol=mpf(10) ** -100)
    return mpf(0) if abs(x) < CUT else x                         # the median of n = 1


def moments(n, centre, check):
    step, shift = mills(centre) / (11 if check else 8), mpf("0.37") if check else mpf(0)
    points, peak = [], mpf(0)
    for direction in (1, -1):
        k = 0 if direction > 0 else -1
        while True:
            x = (k + shift) * step                               # relative to the centre
            f = n * phi(centre + x) * mp.exp((n - 1) * log_lower(centre + x))
            peak = max(peak, f)
            points.append((x, f))
            k += direction
            if f < CUT * peak:
                break
    mass = step * mp.fsum(f for x, f in points)
    assert abs(mass - 1) < mpf(10) ** -30, (n, mass)
    mean = step * mp.fsum(x * f for x, f in points)
    variance = step * mp.fsum((x - mean) ** 2 * f for x, f in points)
    mean += centre
    return mpf(0) if abs(mean) < mpf(10) ** -30 else mean, variance


def row(name, check):
    n, half = mpf(name), mpf(1) / 2
    levels = (half, mpf(10) ** -6, mpf("0.1"), mpf("0.9"), 1 - mpf(10) ** -6)
    quantiles = [quantile(u, n, check) for u in levels]
    mean, variance = moments(n, quantiles[0], check)
    exact = {1: (0, 1), 2: (1 / mp.sqrt(mp.pi), 1 - 1 / mp.pi),
             3: (3 / (2 * mp.sqrt(mp.pi)), 1 + mp.sqrt(3) / (2 * mp.pi) - 9 / (4 * mp.pi))}.get(n, (mean, variance))
    assert abs(mean - exact[0]) + abs(variance - exact[1]) < mpf(10) ** -30, (name, mean, variance)
    return [name] + quantiles + [mean, variance]


def build(check):
    mp.dps = 70 if check else 50
    return [row(name, check) for name in SIZES]


if __name__ == "__main__":
    table.main("extreme_value", [
        "maximum of n independent standard Gaussians: median, quantiles at the stated levels, mean, variance",
        "extreme_value.py, 50-digit arithmetic; n and the levels are exact",
        "all 20 digits correct to within one unit of the last (by recomputation with other parameters, --check)",
    ], ["n", "median", "q_1e-6", "q_0.1", "q_0.9", "q_1-1e-6", "mean", "variance"], build)
