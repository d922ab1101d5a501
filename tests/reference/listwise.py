"""Listwise retrieval: the target beats the mean of the top fraction r of its competitors.

    kappa_r = phi(Phi^{-1}(1-r))/r,    p_c/d^2 = 1/[(1 + kappa_r^2) Phi(kappa_r) + kappa_r phi(kappa_r)]

60-digit arithmetic; 20 digits printed. --check at 90 digits: kappa_r = E[xi | xi > x] by quadrature and
the bracket as E(xi + kappa_r)_+^2 by quadrature.

    python3 listwise.py [--check]       a few seconds
"""
from mpmath import mp, mpf
from normal import phi, upper, upper_quantile
import table

FRACTIONS = "0.999 0.9 0.5 0.1 0.01 1e-3 1e-6 1e-12 1e-100".split()


def row(name, check):
    r = mpf(name)
    x = upper_quantile(mp.log(r))
    if check:
        panels = [mpf(j) for j in range(26)]
        kappa = x + mp.quad(lambda u: u * phi(x + u) / r, panels)
        bracket = mp.quad(lambda u: u * u * phi(u - kappa), [mpf(j) for j in range(0, 50)])
    else:
        kappa = phi(x) / r
        bracket = (1 + kappa ** 2) * upper(-kappa) + kappa * phi(kappa)
    return [name, kappa, 1 / bracket]


def build(check):
    mp.dps = 90 if check else 60
    return [row(name, check) for name in FRACTIONS]


if __name__ == "__main__":
    table.main("listwise", [
        "listwise retrieval, top fraction r: margin kappa_r and capacity p_c/d^2",
        "listwise.py, 60-digit arithmetic; r is the exact decimal",
        "all 20 digits correct to within one unit of the last (by a second method, --check)",
    ], ["r", "kappa", "load"], build)
