"""Answers the questions of statistics.peer.ts, on standard input as JSON, with SciPy."""

import json
import sys

import numpy as np
from scipy import special, stats


def welch(before, after):
    test = stats.ttest_ind(after, before, equal_var=False)
    interval = test.confidence_interval(0.95)
    return {"t": test.statistic, "freedom": test.df, "p": test.pvalue, "low": interval.low, "high": interval.high}


def permutation(before, after):
    def distance(x, y, axis):
        return np.abs(np.mean(x, axis=axis) - np.mean(y, axis=axis))

    test = stats.permutation_test((before, after), distance, n_resamples=np.inf, alternative="greater", vectorized=True)
    return float(test.pvalue)


def combined(probabilities):
    quantiles = stats.cauchy.isf(np.minimum(probabilities, 0.99))
    return float(stats.cauchy.sf(np.average(quantiles, weights=1 + np.arange(len(quantiles)))))


ask = json.load(sys.stdin)
rng = np.random.default_rng(20261122)
json.dump(
    {
        "tails": [2 * stats.t.sf(abs(t), freedom) for t, freedom in ask["tails"]],
        "variances": [stats.f.sf(ratio, own, other) for ratio, own, other in ask["variances"]],
        "quantiles": [stats.t.ppf(probability, freedom) for probability, freedom in ask["quantiles"]],
        "welch": [welch(*sides) for sides in ask["welch"]],
        "permutation": [permutation(*sides) for sides in ask["permutation"]],
        "rates": [stats.false_discovery_control(probabilities).tolist() for probabilities in ask["rates"]],
        "weighted": [
            stats.false_discovery_control([min(1, p / w) for p, w in zip(probabilities, weights)]).tolist()
            for probabilities, weights in zip(ask["rates"], ask["weights"])
        ],
        "combined": [
            combined(probabilities)
            for probabilities in ask["combined"]
        ],
        "digamma": [float(special.digamma(x)) for x in ask["gamma"]],
        "trigamma": [float(special.polygamma(1, x)) for x in ask["gamma"]],
        "spreads": [
            (ratio * stats.f.rvs(own, prior, size=4000, random_state=rng)).tolist() for ratio, own, prior in ask["spreads"]
        ],
    },
    sys.stdout,
)
