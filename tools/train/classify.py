#!/usr/bin/env python3
"""Trains a small classifier of crops: classify.py DATASET OUT.onnx [--size 64x48] [--epochs 40] [--background none]
DATASET is a folder of `playbyplay profile export … --format folders`. Writes OUT.onnx (logits; RGB 0…1) and prints the detector
for the profile, with the temperature that fits the part held back. PyTorch, numpy, OpenCV."""
import argparse
import json
import random

import numpy as np
import torch
from torch import nn

import pictures


def block(before, after, stride):
    return nn.Sequential(nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU())


class Net(nn.Module):
    """Six convolutions, means over the picture, one layer of classes: 60 000 weights at width 16."""

    def __init__(self, classes, width=16):
        super().__init__()
        w = width
        self.features = nn.Sequential(block(3, w, 1), block(w, 2 * w, 2), block(2 * w, 2 * w, 1), block(2 * w, 3 * w, 2), block(3 * w, 3 * w, 1), block(3 * w, 4 * w, 2))
        self.classes = nn.Sequential(nn.Dropout(0.2), nn.Linear(4 * w * 2, classes))

    def forward(self, x):
        x = self.features(x)
        return self.classes(torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1))


def temperature(logits, labels):
    """The one that makes the held-back labels likeliest."""
    best = min((nn.functional.cross_entropy(logits / t, labels).item(), t) for t in np.geomspace(0.5, 5, 60))
    return round(float(best[1]), 2)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("dataset", nargs="+")
    parser.add_argument("out")
    parser.add_argument("--size", default="64x48")
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--background", default="none")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    draw = random.Random(args.seed)
    size = tuple(int(n) for n in args.size.split("x"))
    sets = [pictures.load(folder, size) for folder in args.dataset]
    crops, texts = np.concatenate([s["train"][0] for s in sets]), sum((s["train"][1] for s in sets), [])
    held, held_texts = np.concatenate([s["val"][0] for s in sets]), sum((s["val"][1] for s in sets), [])
    names = sorted(set(texts))
    known = [i for i, text in enumerate(held_texts) if text in names]
    held, target = held[known], torch.tensor([names.index(held_texts[i]) for i in known])
    by_name = {name: [i for i, text in enumerate(texts) if text == name] for name in names}
    print({name: len(own) for name, own in by_name.items()}, f"{len(held)} held back")
    net = Net(len(names))
    optimiser = torch.optim.AdamW(net.parameters(), 3e-3, weight_decay=1e-3)
    steps = max(40, len(texts) // 64)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 3e-3, total_steps=args.epochs * steps)
    for epoch in range(args.epochs):
        net.train()
        total = 0.0
        for _ in range(steps):
            # Every name as often as another, however seldom it was seen.
            chosen = [draw.choice(names) for _ in range(64)]
            batch = pictures.tensor([pictures.vary(crops[draw.choice(by_name[name])], draw) for name in chosen])
            loss = nn.functional.cross_entropy(net(batch), torch.tensor([names.index(name) for name in chosen]), label_smoothing=0.02)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            total += loss.item()
        if epoch % 5 == 4 or epoch == args.epochs - 1:
            net.eval()
            with torch.no_grad():
                logits = net(pictures.tensor(held)) if len(held) else torch.zeros(0, len(names))
                varied = net(pictures.tensor([pictures.vary(crop, draw) for crop in held])) if len(held) else logits
            right = (logits.argmax(1) == target).float().mean().item()
            print(f"epoch {epoch + 1}: loss {total / steps:.4f}, held back {right:.4f}, varied {(varied.argmax(1) == target).float().mean().item():.4f}", flush=True)
    warmth = temperature(varied, target) if len(held) else 1
    torch.onnx.export(net, torch.zeros(1, 3, size[1], size[0]), args.out, input_names=["images"], output_names=["scores"], opset_version=13, dynamic_axes={"images": {0: "N"}, "scores": {0: "N"}})
    detector = {"kind": "onnx", "model": args.out, "task": "classify", "labels": names, "temperature": warmth}
    if args.background in names:
        detector["background"] = args.background
    print(json.dumps(detector, indent=2))


main()
