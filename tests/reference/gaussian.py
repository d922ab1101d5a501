"""Gaussian functions in logarithms, and quantiles from a log tail probability (two tables).

gaussian.tsv:            log Phi(x), log H(x), log E(xi - x)_+, log E(xi - x)_+^2, where
                         E(xi - x)_+ = phi(x) - x H(x),  E(xi - x)_+^2 = (1 + x^2) H(x) - x phi(x)
gaussian_quantile.tsv:   the x with log H(x) = l, by Newton's method on log H (normal.py)

140-digit arithmetic: at x = 1e8 the differences above cost 32 digits and exp(-x^2/2) another 16.
20 digits printed. --check: 200 digits, tails for x >= 8 from the asymptotic continued fraction of the Mills
ratio and the repeated integrals of erfc by backward recurrence, quantiles by bracketing.

    python3 gaussian.py [--check]       a few seconds
"""
from mpmath import mp, mpf
from normal import log_lower, phi, upper, upper_quantile
import table

POINTS = "-1e8 -1e4 -40 -10 -3 -1 -0.5 0 0.3 0.999 1 1.001 2 3 5 8 10 20 40 100 1e4 1e8".split()
LOGS = "-1e-20 -1e-3 -0.1 -log2 -1 -5 -20 -100 -700 -1e4 -1e6 -1e12".split()


def direct(x):
    H, f = upper(x), phi(x)
    return [log_lower(x), log_lower(-x), mp.log(f - x * H), mp.log((1 + x * x) * H - x * f)]


def by_recurrence(x):
    """With I_k = Int_x^inf (u-x)^k phi(u) du/k!, k I_k = I_{k-2} - x I_{k-1}, I_{-1} = phi: the ratios
    r_k = I_k/I_{k-1} satisfy r_{k-1} = 1/(x + k r_k), run backwards from k = 2500."""
    r = mpf(0)
    ratios = {}
    for k in range(2500, 0, -1):
        r = 1 / (x + k * r)
        ratios[k - 1] = r
    tail = ratios[0] * phi(x)                                   # I_0 = H
    first = ratios[1] * tail
    return [mp.log1p(-tail), mp.log(tail), mp.log(first), mp.log(2 * ratios[2] * first)]


def functions(check):
    mp.dps = 200 if check else 140
    return [[name] + (by_recurrence if check and mpf(name) >= 8 else direct)(mpf(name)) for name in POINTS]


def quantiles(check):
    mp.dps = 200 if check else 140
    rows = []
    for name in LOGS:
        l = -mp.log(2) if name == "-log2" else mpf(name)
        x = upper_quantile(l)
        if check and name != "-log2":
            x = mp.findroot(lambda y: log_lower(-y) / l - 1, (x - mpf("0.013"), x + mpf("0.011")),
                            solver="anderson", tol=mpf(10) ** -120, maxsteps=200)
        x = mpf(0) if abs(x) < mpf(10) ** -100 else x
        rows.append([name, l, x])
    return rows


if __name__ == "__main__":
    table.main("gaussian", [
        "logarithms of Phi(x), of the upper tail H(x), and of E(xi - x)_+^k for k = 1, 2, xi standard Gaussian",
        "gaussian.py, 140-digit arithmetic; x is the exact decimal; exponents beyond double precision are meant",
        "all 20 digits correct to within one unit of the last (by a second method, --check)",
    ], ["x", "log_lower", "log_upper", "log_excess", "log_excess_squared"], functions)
    table.main("gaussian_quantile", [
        "x with log H(x) = l, H the upper tail of the standard Gaussian",
        "gaussian.py, 140-digit arithmetic; l is the exact decimal, -log2 the exact logarithm (20 digits beside it)",
        "all 20 digits correct to within one unit of the last (by a second method, --check)",
    ], ["name", "l", "x"], quantiles)
