"""Rank-constrained memories: cutoff s_k of the singular-value law and partial second moment.

    rho(s) = sqrt((s+^2 - s^2)(s^2 - s-^2))/(pi beta s),  s+- = 1 +- sqrt(beta)
    Int_{s_k}^{s+} rho = kappa,    moment = Int_{s_k}^{s+} s^2 rho

by direct quadrature (tanh-sinh, which takes the square-root edges) and bracketing in the distance y
from the upper edge for kappa <= 1/2, from the lower edge (with 1 - kappa and 1 - moment) above.

40-digit arithmetic; 20 digits printed. That rho and s^2 rho have integral 1 is asserted. --check does the
same at 50 digits after s^2 = 1 + beta + 2 sqrt(beta) cos(theta), Gauss-Legendre on panels in theta.

    python3 rank_constrained.py             about 40 seconds
    python3 rank_constrained.py --check     about 30 seconds
"""
from mpmath import mp, mpf
import table

BETAS = "1 0.9 0.5 0.25 0.01".split()
KAPPAS = "1e-6 0.01 0.05 0.1 0.2 0.25 0.3 0.4 0.5 0.6 0.75 0.9 0.99".split()


def density_from_edge(y, beta, top):
    """(s, rho(s)) at distance y inside an edge; the four factors of the root have no cancellation."""
    r = mp.sqrt(beta)
    low, high = 1 - r, 1 + r
    s = high - y if top else low + y
    factors = (y, 2 * r - y) if top else (2 * r - y, y)          # s+ - s and s - s-
    return s, mp.sqrt(factors[0] * factors[1] * (high + s) * (s + low)) / (mp.pi * beta * s)


def integral(beta, top, y, power):
    def integrand(u):
        s, rho = density_from_edge(u, beta, top)
        return s ** power * rho if s else 2 * mpf(power == 0) / mp.pi    # beta = 1, s = 0: rho = 2/pi
    return mp.quad(integrand, [0, y / 8, y], maxdegree=9)


def by_density(beta, kappa):
    top = kappa <= mpf(1) / 2
    mass, width = (kappa if top else 1 - kappa), 2 * mp.sqrt(beta)
    y = mp.findroot(lambda u: integral(beta, top, u, 0) - mass, (width * mpf("1e-5"), width * mpf("0.8")),
                    solver="anderson", tol=mpf(10) ** (-2 * mp.dps + 8), maxsteps=200)
    s, _ = density_from_edge(y, beta, top)
    moment = integral(beta, top, y, 2)
    return s, (moment if top else 1 - moment)


def by_angle(beta, kappa):
    r = mp.sqrt(beta)

    def integral_to(theta, power):
        weight = lambda a: (1 + beta + 2 * r * mp.cos(a)) ** (power // 2 - 1) * 2 * mp.sin(a) ** 2 / mp.pi
        if beta == 1 and power == 0:
            weight = lambda a: (1 - mp.cos(a)) / mp.pi
        panels = [0] + [mp.pi - (mp.pi - theta) * mpf(2) ** j for j in range(10, 0, -1)
                        if mp.pi - (mp.pi - theta) * mpf(2) ** j > 0] + [theta]
        return mp.quad(weight, panels, method="gauss-legendre", maxdegree=9)

    theta = mp.findroot(lambda a: integral_to(a, 0) - kappa, (mpf("0.001"), mpf("3.1415")),
                        solver="anderson", tol=mpf(10) ** (-2 * mp.dps + 8), maxsteps=200)
    return mp.sqrt(1 + beta + 2 * r * mp.cos(theta)), integral_to(theta, 2)


def build(check):
    mp.dps = 50 if check else 40
    rows = []
    for b in BETAS:
        beta, width = mpf(b), 2 * mp.sqrt(mpf(b))
        for power in (0, 2):
            total = sum(integral(beta, top, width / 2, power) for top in (True, False))
            assert abs(total - 1) < mpf(10) ** -30, (b, power, total)
        for k in KAPPAS:
            rows.append([b, k] + list((by_angle if check else by_density)(beta, mpf(k))))
    return rows


if __name__ == "__main__":
    table.main("rank_constrained", [
        "singular-value law of a d_out x d_in Gaussian matrix over sqrt(d_in), beta = d_out/d_in: cutoff with mass",
        "kappa above it, and second moment above it; alpha_c = moment/2 for many candidates",
        "rank_constrained.py, 40-digit arithmetic; beta and kappa are exact decimals",
        "all 20 digits correct to within one unit of the last (by a second method of integration, --check)",
    ], ["beta", "kappa", "cutoff", "second_moment"], build)
