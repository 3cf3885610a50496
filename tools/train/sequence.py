#!/usr/bin/env python3
"""Trains a network for `interpreter` (docs/games/networks.md): sequence.py SEQUENCES.ndjson OUT.onnx --held CLIP [--window 64] [--margin 16]
SEQUENCES.ndjson comes from tools/train/sequence.ts. The clips named by --held are not trained on. Prints, for the held-back clips,
how many cues are rightly said to be events of each kind, and how many wrongly. PyTorch, numpy."""
import argparse
import json
import random

import numpy as np
import torch
from torch import nn


class Net(nn.Module):
    """Dilated convolutions along time: each tick sees 0.8 s to either side of it at ticks of 0.05 s."""

    def __init__(self, width, kinds, channels=24):
        super().__init__()
        layers = []
        for before, dilation in ((width, 1), (channels, 2), (channels, 4)):
            layers += [nn.Conv1d(before, channels, 5, 1, 2 * dilation, dilation), nn.ReLU(), nn.Dropout(0.1)]
        self.layers = nn.Sequential(*layers, nn.Conv1d(channels, kinds, 1))

    def forward(self, x):
        return self.layers(x.transpose(1, 2)).transpose(1, 2)


class Out(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, cues):
        return self.net(cues).sigmoid()


def arrays(clip):
    rows = np.array(clip["rows"], np.float32)
    truth, at_cue = np.zeros((len(rows), len(clip["kinds"])), np.float32), np.zeros((len(rows), len(clip["kinds"])), np.float32)
    for mark in clip["cues"]:
        at_cue[mark["tick"], mark["kind"]] = 1
    for mark in clip["truth"]:
        truth[mark["tick"], mark["kind"]] = 1
    return rows, truth, at_cue


def vary(rows, draw, detectors, own, needed):
    """Detectors change a tick earlier or later than each other, numbers are other numbers, those not needed may be blind."""
    out = rows.copy()
    for d in range(detectors):
        if d not in needed and draw.random() < 0.7:
            out[:, 8 * d : 8 * d + 8] = 0
            continue
        at = slice(8 * d, 8 * d + 8)
        by = 0 if d == own else draw.choice((-1, 0, 0, 0, 1))
        if by:
            out[:, at] = np.roll(rows[:, at], by, 0)
        out[:, 8 * d + 3] *= draw.uniform(0.7, 1.1)
        if draw.random() < 0.7:
            dead = out[:, 8 * d + 5] == 0
            out[:, 8 * d + 5] = np.where(dead, 0, np.maximum(0.01, out[:, 8 * d + 5] * draw.uniform(0.3, 1.8)))
            out[:, 8 * d + 4] *= draw.uniform(0.7, 1.4)
    return out


def swapped(arrays_of_clip, a, b, one, other):
    rows, truth, at_cue = (each.copy() for each in arrays_of_clip)
    for table, i, j, n in ((rows, 8 * one, 8 * other, 8), (truth, a, b, 1), (at_cue, a, b, 1)):
        table[:, i : i + n], table[:, j : j + n] = table[:, j : j + n].copy(), table[:, i : i + n].copy()
    return rows, truth, at_cue


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sequences")
    parser.add_argument("out")
    parser.add_argument("--held", action="append", default=[])
    parser.add_argument("--window", type=int, default=64)
    parser.add_argument("--margin", type=int, default=16)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--all", action="append", default=[], help="a kind that other detectors than its own decide about, too")
    parser.add_argument("--alike", nargs=2, default=[], help="two kinds whose detectors are of one sort")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    draw = random.Random(args.seed)
    clips = [json.loads(line) for line in open(args.sequences, encoding="utf-8")]
    kinds, width = clips[0]["kinds"], clips[0]["width"]
    training = [arrays(clip) for clip in clips if clip["clip"] not in args.held]
    events = [(c, int(t), int(k)) for c, (_, truth, at_cue) in enumerate(training) for t, k in np.argwhere(at_cue)]
    by_case = {}
    for c, t, k in events:
        by_case.setdefault((k, training[c][1][t, k]), []).append((c, t))
    print({f"{kinds[k]} {'yes' if yes else 'no'}": len(own) for (k, yes), own in sorted(by_case.items())})
    net = Net(width, len(kinds))
    optimiser = torch.optim.AdamW(net.parameters(), 3e-3, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 3e-3, total_steps=args.steps)
    for step in range(args.steps):
        windows, targets, weights = [], [], []
        for _ in range(32):
            # Each kind, and what only looks like it, as often as another.
            k, yes = draw.choice(list(by_case))
            c, t = draw.choice(by_case[k, yes])
            rows, truth, at_cue = training[c]
            first = t - draw.randrange(args.margin, args.window - args.margin)
            inside = np.arange(first, first + args.window)
            known = (inside >= 0) & (inside < len(rows))
            clipped = np.clip(inside, 0, len(rows) - 1)
            if kinds[k] in args.alike and draw.random() < 0.5:
                # What one of two detectors of a sort shows, the other could show as well.
                a, b = (kinds.index(kind) for kind in args.alike)
                rows, truth, at_cue = swapped(training[c], a, b, *(clips[0]["on"][n] for n in (a, b)))
                k = b if k == a else a
            needed = set(range(width // 8)) if kinds[k] in args.all else {clips[0]["on"][k]}
            windows.append(vary(np.where(known[:, None], rows[clipped], 0), draw, width // 8, clips[0]["on"][k], needed))
            targets.append(np.where(known[:, None], truth[clipped], 0))
            own = np.arange(len(kinds))[None] == k
            weights.append((0.02 + np.where(known[:, None], at_cue[clipped], 0)) * own)
        x, y, w = (torch.from_numpy(np.stack(each).astype(np.float32)) for each in (windows, targets, weights))
        loss = (nn.functional.binary_cross_entropy_with_logits(net(x), y, reduction="none") * w).sum() / w.sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        if step % 250 == 249:
            print(f"step {step + 1}: loss {loss.item():.4f}", flush=True)
    net.eval()
    for clip in clips:
        rows, truth, at_cue = arrays(clip)
        with torch.no_grad():
            p = net(torch.from_numpy(rows)[None])[0].sigmoid().numpy()
        held = "held back" if clip["clip"] in args.held else "trained on"
        for k, kind in enumerate(kinds):
            cue = at_cue[:, k] > 0
            says, is_one = p[cue, k] >= 0.5, truth[cue, k] > 0
            print(f"{clip['clip']} ({held}) {kind}: {(says & is_one).sum()} of {is_one.sum()} events, {(says & ~is_one).sum()} wrong of {(~is_one).sum()} other cues")
    torch.onnx.export(Out(net).eval(), torch.zeros(1, args.window, width), args.out, input_names=["cues"], output_names=["events"], opset_version=13)


main()
