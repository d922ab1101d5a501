"""Law of the target score h* in 34-digit arithmetic (helper of the lamcap reference scripts).

h* solves  h - (xi_0 - mu) = sum_{j=1}^{n} (xi_j - h)_+ ,  xi_0 and xi_j independent standard Gaussians,
so with X = xi_0 - mu - x + sum_j (xi_j - x)_+ ,

    F(x) = P(h* <= x) = P(X <= 0),      f(x) = F'(x).

The characteristic function of X is c(t) = exp(-t^2/2 - i t (x + mu)) psi(t)^n, where psi = E exp(i t (xi-x)_+):

    psi(t) - 1 = phi(x) [M(x - i t) - M(x)],     M(z) = sqrt(pi/2) exp(z^2/2) erfc(z/sqrt 2)  (Mills ratio).

Inversion by the midpoint sum, t_k = (k + 1/2) D:

    F = 1/2 - sum_k Im c(t_k) / (pi (k + 1/2)),
    f = (D/pi) sum_k Re[ c(t_k) (1 + n tau/psi) ],  tau = phi(x) M(x - i t)   (d psi/dx = -i t tau).

The error of F is at most P(|X| > 2 pi/D); D is chosen from a Chernoff bound of that probability, so
that it is below exp(-BITE) = 5e-25. The same bound says where F is 0 or 1 to within exp(-BITE).
Nothing here subtracts nearly equal numbers except M(x - i t) - M(x) at small t, which costs a few
digits of the 34; K up to 1e300 needs no more precision than K = 2, as only the product n phi(x) enters.
"""
from mpmath import mp, mpf, mpc
from normal import mills, phi, upper

mp.dps = 34
BITE = 56           # exp(-56) = 5e-25
PERIOD = 1          # factor on the period 2 pi/D
STEP = mpf("0.3")   # spacing of the grid in x, in units of the width of h*
OFFSET = mpf("0.5") # position of that grid
LAMBDAS = [mpf(2) ** (mpf(j) / 2) for j in range(-6, 15)]


def refine():
    """Other, finer accuracy parameters, for an independent pass over the same sums."""
    global BITE, PERIOD, STEP, OFFSET
    mp.dps, BITE, PERIOD, STEP, OFFSET = 44, 64, mpf("1.23"), mpf("0.23"), mpf("0.3")


def log1p(w):
    """log(1 + w), real or complex, accurate for tiny w."""
    if abs(w) > mpf("0.01"):
        return mp.log(1 + w)
    total, power, k = mpf(0), -w, 1
    while abs(power) > mp.eps * abs(w) / 100:
        total -= power / k
        power *= -w
        k += 1
    return total


def log_psi(x, m, density, edge):
    """log E exp(z (xi - x)_+) from m = M(x - z), density = phi(x), edge = edge_of(x), z real or complex;
    no cancellation on either side of x = 0."""
    return mp.log(edge + density * m) if x < 0 else log1p(density * (m - edge))


def edge_of(x):
    return upper(-x) if x < 0 else mills(x)


def cumulants(x, n, mu, density, edge):
    """[(l, log E exp(l X))] for both signs of l, l on a geometric grid."""
    return [(l, l * l / 2 - l * (x + mu) + n * log_psi(x, mills(x - l), density, edge))
            for a in LAMBDAS for l in (a, -a)]


def law(x, n, mu=0, weight=1):
    """(F, f) at x with absolute error exp(-BITE)/weight; exactly (0, 0) or (1, 0) where that suffices."""
    bite, density, edge = BITE + mp.log(weight), phi(x), edge_of(x)
    grid = cumulants(x, n, mu, density, edge)
    below, above = (min(c for l, c in grid if l * side > 0) for side in (-1, 1))
    if below < -bite:                                             # log P(X <= 0) <= below
        return mpf(0), mpf(0)
    if above < -bite:                                             # log P(X >= 0) <= above
        return mpf(1), mpf(0)
    period = PERIOD * max(min((c + bite) / abs(l) for l, c in grid if l * side > 0) for side in (-1, 1))
    step = 2 * mp.pi / period
    total, slope, k = mpf(1) / 2, mpf(0), 0
    while True:
        t = (k + mpf(1) / 2) * step
        m = mills(mpc(x, -t))
        logpsi = log_psi(x, m, density, edge)
        c = mp.exp(-t * t / 2 - mpc(0, t * (x + mu)) + n * logpsi)
        factor = 1 + n * density * m * mp.exp(-logpsi)
        total -= c.imag / (mp.pi * (k + mpf(1) / 2))
        slope += (c * factor).real
        k += 1
        if abs(c) * (1 + abs(factor)) < mp.exp(-bite - 5):
            return total, slope * step / mp.pi


def centre_and_width(n, mu=0):
    """Mean-field centre h = -mu + n E(xi - h)_+ and approximate standard deviation of h*."""
    low, high = mpf(-mu) - 1, mpf(60)
    for _ in range(60):
        h = (low + high) / 2
        low, high = (h, high) if n * (phi(h) - h * upper(h)) - mu > h else (low, h)
    first, second = phi(h) - h * upper(h), (1 + h * h) * upper(h) - h * phi(h)
    return h, mp.sqrt(1 + n * (second - first ** 2)) / (1 + n * upper(h))


def scan(n, mu, weight):
    """Spacing and [(x, F, f)] on the grid centre + (k + OFFSET) STEP * width, where 0 < F < 1."""
    centre, width = centre_and_width(n, mu)
    step = STEP * width
    rows = []
    for direction, limit in ((-1, 0), (1, 1)):
        k = -1 if direction < 0 else 0
        while True:
            x = centre + (k + OFFSET) * step
            F, f = law(x, n, mu, weight(x))
            if F == limit and f == 0:
                break
            rows.append((x, F, f))
            k += direction
    return step, sorted(rows)


def mean_and_variance(n, mu=0):
    """Mean and variance of h* by the trapezoidal rule on its density, and the total mass (to be 1)."""
    h, rows = scan(n, mu, lambda x: 10000)
    mass = h * mp.fsum(f for x, F, f in rows)
    mean = h * mp.fsum(x * f for x, F, f in rows)
    return mean, h * mp.fsum((x - mean) ** 2 * f for x, F, f in rows), mass


def active(K, mu=0):
    """E[number of competitors above h*] = (K-1) Int phi(x) P(h*_{K-2} <= x) dx, h*_{K-2} having K-2
    competitors, by the trapezoidal rule; and the same integral by parts, (K-1) Int H(x) f_{K-2}(x) dx."""
    h, rows = scan(K - 2, mu, lambda x: (K - 1) * (phi(x) + upper(x)))
    first = [phi(x) * F for x, F, f in rows]
    second = [upper(x) * f for x, F, f in rows]
    x = rows[-1][0] + h                                           # from here on F = 1
    while phi(x) * (K - 1) > mp.exp(-BITE):
        first.append(phi(x))
        x += h
    return (K - 1) * h * mp.fsum(first), (K - 1) * h * mp.fsum(second)
