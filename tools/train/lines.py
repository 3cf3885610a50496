#!/usr/bin/env python3
"""Trains a small recogniser of lines with CTC: lines.py DATASET OUT.onnx DICTIONARY.txt [--size 64x32] [--epochs 30] [--nothing none]
DATASET is a folder of `playbyplay profile export … --format folders` whose labels are what the crops say; `--nothing` is the label
of crops that say nothing. Writes OUT.onnx (probabilities, batch × steps × characters, blank first; RGB −1…1) and the dictionary."""
import argparse
import random

import numpy as np
import torch
from torch import nn

import pictures


def block(before, after, stride):
    return nn.Sequential(nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU())


class Net(nn.Module):
    """Convolutions that shrink the height to one row and the width to a quarter, then characters along it."""

    def __init__(self, characters, height, width=16):
        super().__init__()
        w = width
        self.features = nn.Sequential(block(3, w, 1), block(w, 2 * w, 2), block(2 * w, 3 * w, 2), block(3 * w, 4 * w, (2, 1)), nn.Conv2d(4 * w, 4 * w, (height // 8, 1), bias=False), nn.BatchNorm2d(4 * w), nn.ReLU())
        self.along = nn.Sequential(nn.Conv1d(4 * w, 4 * w, 3, 1, 1), nn.ReLU(), nn.Dropout(0.1), nn.Conv1d(4 * w, characters, 3, 1, 1))

    def forward(self, x):
        return self.along(self.features(x * 2 - 1).squeeze(2)).transpose(1, 2)


class Out(nn.Module):
    """The network as the detector wants it: pictures of −1…1 in, probabilities out."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x):
        return self.net((x + 1) / 2).softmax(2)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("dataset")
    parser.add_argument("out")
    parser.add_argument("dictionary")
    parser.add_argument("--size", default="64x32")
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--nothing", default="none")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    draw = random.Random(args.seed)
    size = tuple(int(n) for n in args.size.split("x"))
    parts = pictures.load(args.dataset, size)
    crops, texts = parts["train"]
    held, held_texts = parts["val"]
    say = lambda text: "" if text == args.nothing else text
    characters = sorted({c for text in texts for c in say(text)})
    codes = {c: i + 1 for i, c in enumerate(characters)}
    by_text = {text: [i for i, other in enumerate(texts) if other == text] for text in sorted(set(texts))}
    print(len(texts), "crops,", len(by_text), "texts,", len(held_texts), "held back, characters", "".join(characters))
    net = Net(len(characters) + 1, size[1])
    optimiser = torch.optim.AdamW(net.parameters(), 3e-3, weight_decay=1e-3)
    steps = max(40, len(texts) // 64)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 3e-3, total_steps=args.epochs * steps)
    length = size[0] // 4

    def right(pictured):
        net.eval()
        with torch.no_grad():
            best = net(pictures.tensor(pictured)).argmax(2).numpy()
        good = 0
        for row, text in zip(best, held_texts):
            read = "".join(characters[c - 1] for n, c in enumerate(row) if c and (n == 0 or row[n - 1] != c))
            good += read == say(text)
        return good / max(1, len(held_texts))

    for epoch in range(args.epochs):
        net.train()
        total = 0.0
        for _ in range(steps):
            chosen = [draw.choice(list(by_text)) for _ in range(64)]
            batch = pictures.tensor([pictures.vary(crops[draw.choice(by_text[text])], draw) for text in chosen])
            said = [say(text) for text in chosen]
            loss = nn.functional.ctc_loss(
                net(batch).log_softmax(2).transpose(0, 1),
                torch.tensor([codes[c] for text in said for c in text]),
                torch.full((64,), length),
                torch.tensor([len(text) for text in said]),
                zero_infinity=True,
            )
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            total += loss.item()
        if epoch % 5 == 4 or epoch == args.epochs - 1:
            print(f"epoch {epoch + 1}: loss {total / steps:.4f}, held back {right(held):.4f}, varied {right(np.stack([pictures.vary(crop, draw) for crop in held])):.4f}", flush=True)
    net.eval()
    torch.onnx.export(Out(net).eval(), torch.zeros(1, 3, size[1], size[0]), args.out, input_names=["images"], output_names=["characters"], opset_version=13, dynamic_axes={"images": {0: "N"}, "characters": {0: "N"}})
    with open(args.dictionary, "w", encoding="utf-8") as file:
        file.write("".join(f"{c}\n" for c in characters))


main()
