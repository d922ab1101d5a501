"""Standard Gaussian functions in mpmath arithmetic, at the current mp.dps (helper of the reference scripts).

exp(-x^2/2) loses about 2 log10|x| digits in H and in the Mills ratio; callers with large |x| raise mp.dps.
"""
from mpmath import mp


def phi(x):
    """Density."""
    return mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)


def upper(x):
    """H(x), upper tail."""
    return mp.erfc(x / mp.sqrt(2)) / 2


def mills(z):
    """M(z) = H(z)/phi(z) = sqrt(pi/2) exp(z^2/2) erfc(z/sqrt 2), real or complex z."""
    return mp.sqrt(mp.pi / 2) * mp.exp(z * z / 2) * mp.erfc(z / mp.sqrt(2))


def log_lower(x):
    """log Phi(x)."""
    return mp.log1p(-upper(x)) if x > 0 else mp.log(upper(-x))


def upper_quantile(logp):
    """x with log H(x) = logp: Newton's method on log H, which is concave, with the sign of x reduced first."""
    if logp > -mp.log(2):
        return -upper_quantile(mp.log(-mp.expm1(logp)))
    x = mp.sqrt(-2 * logp) if logp < -2 else mp.mpf(1) / 2
    for _ in range(100):
        step = (mp.log(upper(x)) - logp) * mills(x)
        x += step
        if abs(step) <= 64 * mp.eps * (1 + abs(x)):
            return x
    raise ArithmeticError("no convergence")
