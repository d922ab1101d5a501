"""Critical load with a margin: delta(K, mu), the target beating every competitor by mu >= 0.

    delta(K, mu) = E[#active] + mu E[h* - xi_0 + mu] = E[#active] + mu (E[h*] + mu)
    E[#active]   = (K-1) Int phi(x) P[ xi_0 - mu + sum_{j=1}^{K-2} (xi_j - x)_+ <= x ] dx
    E[h*]        = Int x f(x) dx,  f the density of h* with K-1 competitors and xi_0 - mu for xi_0

Fourier inversion and trapezoidal sums as in critical_load.py (score_law.py). mu is in units of the
standard deviation of a score.

34-digit arithmetic, sums cut at 5e-25 absolute; 20 digits printed. K = 2 is asserted against Gardner's
(1 + k^2) Phi(k) + k phi(k), k = mu/sqrt 2; the form by parts of E[#active] and the mass of f are asserted
too; --check repeats everything with 44 digits, other spacings and grid positions.

    python3 critical_load_margin.py             about 7 minutes on two cores
    python3 critical_load_margin.py --check     about 20 minutes on two cores
"""
from multiprocessing import Pool
from mpmath import mp, mpf
from normal import phi, upper
import score_law
import table

SIZES = "2 3 10 100 1000 1e6 1e12".split()
MARGINS = "0.1 0.5 1 2 4".split()


def row(case):
    K, mu = map(mpf, case)
    active, by_parts = score_law.active(K, mu)
    mean, _, mass = score_law.mean_and_variance(K - 1, mu)
    assert abs(by_parts / active - 1) < mpf(10) ** -21, (case, active, by_parts)
    assert abs(mass - 1) < mpf(10) ** -22, (case, mass)
    delta = active + mu * (mean + mu)
    if K == 2:
        k = mu / mp.sqrt(2)
        exact = (1 + k * k) * upper(-k) + k * phi(k)
        assert abs(delta / exact - 1) < mpf(10) ** -22, (case, delta, exact)
    return list(case) + [delta, active, mean]


def build(check):
    if check:
        score_law.refine()
    with Pool() as pool:
        return pool.map(row, [(K, mu) for K in SIZES for mu in MARGINS], chunksize=1)


if __name__ == "__main__":
    table.main("critical_load_margin", [
        "delta(K, mu), statistical dimension with margin mu (in score standard deviations); E[#active], the mean",
        "number of competitors above h*; E[h*], the mean target score",
        "critical_load_margin.py, 34-digit arithmetic; mu is the exact decimal",
        "all 20 digits correct to within one unit of the last (by recomputation with other parameters, --check)",
    ], ["K", "mu", "delta", "active", "mean_target"], build)
