#!/usr/bin/env python3
"""Learns to distinguish voices from a game's sound: logistic regression, cross-validated by recording, then weights from all.

    rm -f features.ndjson; node bench/detectors/voices.ts --features features.ndjson --levels 30,12,6,0 --to 60 RECORDING... && voice.py features.ndjson

Prints the weights for src/detectors/sound/voice.ts (the last is the constant). Recordings in which the game itself speaks are no use. Needs numpy.
"""
import json
import sys

import numpy as np


def fit(x, y):
    mean, spread = x.mean(0), x.std(0) + 1e-9
    z = np.c_[(x - mean) / spread, np.ones(len(x))]
    w = np.zeros(z.shape[1])
    keep = 1e-3 * len(y)
    for _ in range(50):
        p = 1 / (1 + np.exp(-z @ w))
        w -= np.linalg.solve((z * (p * (1 - p))[:, None]).T @ z + keep * np.eye(len(w)), z.T @ (p - y) + keep * w)
    plain = w[:-1] / spread
    return np.r_[plain, w[-1] - plain @ mean]


def main():
    rows = [json.loads(line) for line in open(sys.argv[1])]
    group = np.array([row[0] for row in rows])
    y = np.array([row[1] for row in rows], float)
    x = np.array([row[2:] for row in rows])
    for name in sorted(set(group)):
        own = group == name
        w = fit(x[~own], y[~own])
        detected = x[own] @ w[:-1] + w[-1] > np.log(0.8 / 0.2)
        print(f"{name}: precision {y[own][detected].mean():.3f}, recall {detected[y[own] == 1].mean():.3f}", file=sys.stderr)
    print(", ".join(f"{one:.4g}" for one in fit(x, y)))


main()
