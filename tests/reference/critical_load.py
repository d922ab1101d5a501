"""Critical load: delta(K), the statistical dimension of the recall constraint, and alpha_c = log K/delta.

    delta(K) = (K-1) Int phi(x) P[ xi_0 + sum_{j=1}^{K-2} (xi_j - x)_+ <= x ] dx

The probability comes from Fourier inversion (score_law.py), the integral from the trapezoidal rule,
which converges exponentially since the integrand is entire: spacing 0.3 standard deviations of h*.

34-digit arithmetic, sums cut at 5e-25 absolute; 20 digits printed. The same integral by parts,
(K-1) Int H(x) f(x) dx with f the density, and the closed forms for K = 2, 3, 4 are asserted in every
run; --check repeats everything with 44 digits, other spacings in x and t and other grid positions.

    python3 critical_load.py             about 2 minutes on two cores
    python3 critical_load.py --check     about 3 minutes on two cores
"""
from multiprocessing import Pool
from mpmath import mp, mpf
import score_law
import table

SIZES = ("2 3 4 5 7 10 16 23 50 100 137 500 1000 4217 1e4 1e5 123456 1e6 1e8 1e9 1e12 1e16 1e30 1e50 "
         "1e100 1e200 1e300").split()


def closed_forms():
    a = mp.acos(mpf(1) / 3)
    return {"2": mpf(1) / 2, "3": mpf(5) / 6,
            "4": mpf(1) / 2 + mpf(3) / 2 * (mpf(1) / 2 - a / (2 * mp.pi)) + 3 * (3 * a - mp.pi) / (4 * mp.pi)}


def row(name):
    K = mpf(name)
    delta, by_parts = score_law.active(K)
    assert abs(by_parts / delta - 1) < mpf(10) ** -21, (name, delta, by_parts)
    exact = closed_forms().get(name, delta)
    assert abs(delta / exact - 1) < mpf(10) ** -22, (name, delta, exact)
    return [name, delta, mp.log(K) / delta]


def build(check):
    if check:
        score_law.refine()
    with Pool() as pool:
        return pool.map(row, SIZES, chunksize=1)


if __name__ == "__main__":
    table.main("critical_load", [
        "delta(K), the statistical dimension of the recall constraint, and alpha_c = log K/delta(K)",
        "critical_load.py, 34-digit arithmetic; K is exact (1e300 means ten to the 300)",
        "all 20 digits correct to within one unit of the last (by recomputation with other parameters, --check)",
    ], ["K", "delta", "alpha_c"], build)
