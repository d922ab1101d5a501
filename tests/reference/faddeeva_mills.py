"""Complex Mills ratio M(z) = sqrt(pi/2) exp(z^2/2) erfc(z/sqrt 2) at z = c - i t.

In terms of the Faddeeva function, M(z) = sqrt(pi/2) w(i z/sqrt 2) = sqrt(pi/2) erfcx(z/sqrt 2).

90-digit arithmetic with the complex erfc of mpmath, so that real and imaginary parts each keep 20 digits
(at c = 0, t = 12 the real part is 1e-31 of the imaginary one). --check at 100 digits: quadrature of
M(z) = Int_0^inf exp(-u^2/2 - z u) du.

    python3 faddeeva_mills.py               about 1 second
    python3 faddeeva_mills.py --check       about 10 seconds
"""
from mpmath import mp, mpf, mpc
from normal import mills
import table

REAL = "0 0.1 0.5 1 2 5 10 37 100".split()
IMAGINARY = "0 0.1 0.35 1 3 6 9 12".split()


def by_quadrature(z):
    panels = [mpf(j) / 2 for j in range(46)]                     # exp(-22.5^2/2) = 1e-110
    if z.real > 30:
        panels = [p / 8 for p in panels]                         # exp(-37 * 2.8) = 1e-45, absolute
    return mp.quad(lambda u: mp.exp(-u * u / 2 - z * u), panels, method="gauss-legendre")


def build(check):
    mp.dps = 100 if check else 90
    rows = []
    for c in REAL:
        for t in IMAGINARY:
            m = mpc((by_quadrature if check else mills)(mpc(mpf(c), -mpf(t))))
            rows.append([c, t, m.real, m.imag])
    return rows


if __name__ == "__main__":
    table.main("faddeeva_mills", [
        "complex Mills ratio M(z) = sqrt(pi/2) exp(z^2/2) erfc(z/sqrt 2) at z = c - i t",
        "faddeeva_mills.py, 90-digit arithmetic; c and t are exact decimals",
        "all 20 digits of both parts correct to within one unit of the last (by quadrature, --check)",
    ], ["c", "t", "real", "imaginary"], build)
