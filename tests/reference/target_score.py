"""Law of the target score h*: mean, standard deviation, distribution function and density.

    P(h* <= t) = P[ xi_0 - mu + sum_{j=1}^{K-1} (xi_j - t)_+ <= t ],  density = its derivative

by Fourier inversion (score_law.py); the moments by the trapezoidal rule on the density. Each (K, mu) has
three rows, t near mean - 2 sd, mean, mean + sd, rounded to 3 decimals so that t is exact.

34-digit arithmetic, sums cut at 5e-25 absolute or less; 20 digits printed. The mass of the density is
asserted; --check repeats everything with 44 digits, other spacings and grid positions.

    python3 target_score.py             about 1 minute on two cores
    python3 target_score.py --check     about 3 minutes on two cores
"""
from multiprocessing import Pool
from mpmath import mp, mpf
import score_law
import table

CASES = [(K, "0") for K in "2 5 100 1000 1e6 1e12".split()] + [("100", "1")]


def rows_of(case):
    K, mu = map(mpf, case)
    mean, variance, mass = score_law.mean_and_variance(K - 1, mu)
    assert abs(mass - 1) < mpf(10) ** -22, (case, mass)
    sd, rows = mp.sqrt(variance), []
    for shift in (-2, 0, 1):
        t = "%.3f" % float(mean + shift * sd)
        F, f = score_law.law(mpf(t), K - 1, mu, 10000)
        rows.append(list(case) + [mean, sd, t, F, f])
    return rows


def build(check):
    if check:
        score_law.refine()
    with Pool() as pool:
        return [row for rows in pool.map(rows_of, CASES, chunksize=1) for row in rows]


if __name__ == "__main__":
    table.main("target_score", [
        "law of the target score h* with K candidates and margin mu: mean, standard deviation, and at t the",
        "distribution function P(h* <= t) and the density",
        "target_score.py, 34-digit arithmetic; mu and t are exact decimals",
        "all 20 digits correct to within one unit of the last (by recomputation with other parameters, --check)",
    ], ["K", "mu", "mean", "sd", "t", "distribution", "density"], build)
