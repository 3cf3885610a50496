#!/usr/bin/env python3
"""Trains a small classifier of crops: classify.py DATASET… OUT.onnx [--size 64x48] [--epochs 40] [--background none]
                                                [--templates PROFILE DETECTOR --scenery VIDEO]
DATASET is a folder of `playbyplay profile export … --format folders`. Writes OUT.onnx (logits; RGB 0…1) and prints the detector
for the profile, with the temperature that fits the part held back. With --templates the icons of an icon detector are laid over
scenery from a recording too, for what was seen too seldom. PyTorch, numpy, OpenCV."""
import argparse
import json
import os
import random

import cv2
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


def icons_of(profile, detector):
    """By name the templates (RGBA) of an icon detector, and the size of its padded region in pixels of the reference frame."""
    folder = os.path.dirname(profile)
    with open(profile, encoding="utf-8") as file:
        whole = json.load(file)
    spec = whole["detectors"][detector]
    region = whole["regions"][spec["region"]]
    padding = region.get("padding", 0)
    across, down = (padding["x"], padding["y"]) if isinstance(padding, dict) else (padding, padding)
    size = (round(region["width"] * whole["reference"]["width"] * (1 + 2 * across)), round(region["height"] * whole["reference"]["height"] * (1 + 2 * down)))
    paths = {name: [given] if isinstance(given, str) else given for name, given in spec["icons"].items()}
    return {name: [cv2.imread(os.path.join(folder, path), cv2.IMREAD_UNCHANGED) for path in own] for name, own in paths.items()}, size


def scenery(video, size, draw, count=400):
    """Crops of a recording's upper part, as large as the region."""
    capture = cv2.VideoCapture(video)
    frames = int(capture.get(cv2.CAP_PROP_FRAME_COUNT))
    crops = []
    for n in range(frames):
        if not capture.grab() or n % max(1, frames // 50):
            continue
        _, frame = capture.retrieve()
        for _ in range(count // 50):
            x, y = draw.randrange(frame.shape[1] - size[0]), draw.randrange(int(frame.shape[0] * 0.8) - size[1])
            crops.append(cv2.cvtColor(frame[y : y + size[1], x : x + size[0]], cv2.COLOR_BGR2RGB))
    return crops


def laid(icon, ground, draw):
    """A template over scenery, a little turned and moved, as it rocks."""
    height, width = ground.shape[:2]
    turn = cv2.getRotationMatrix2D((icon.shape[1] / 2, icon.shape[0] / 2), draw.uniform(-8, 8), draw.uniform(0.93, 1.07))
    turn[:, 2] += ((width - icon.shape[1]) / 2 + draw.uniform(-3, 3), (height - icon.shape[0]) / 2 + draw.uniform(-3, 3))
    shown = cv2.warpAffine(icon, turn, (width, height)).astype(np.float32)
    # The mask weighs how informative a pixel is, not its opacity: any weight means that the pixel belongs to the icon.
    alpha = np.clip(shown[:, :, 3:] / 90, 0, 1)
    return (ground * (1 - alpha) + shown[:, :, 2::-1] * alpha).astype(np.uint8)


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
    parser.add_argument("--templates", nargs=2, metavar=("PROFILE", "DETECTOR"))
    parser.add_argument("--scenery")
    parser.add_argument("--steps", type=int, help="batches an epoch")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    draw = random.Random(args.seed)
    size = tuple(int(n) for n in args.size.split("x"))
    sets = [pictures.load(folder, size) for folder in args.dataset]
    crops, texts = np.concatenate([s["train"][0] for s in sets]), sum((s["train"][1] for s in sets), [])
    held, held_texts = np.concatenate([s["val"][0] for s in sets]), sum((s["val"][1] for s in sets), [])
    icons, region = icons_of(*args.templates) if args.templates else ({}, None)
    grounds = scenery(args.scenery, region, draw) if icons else []
    names = sorted(set(texts) | set(icons))
    known = [i for i, text in enumerate(held_texts) if text in names]
    held, target = held[known], torch.tensor([names.index(held_texts[i]) for i in known])
    by_name = {name: [i for i, text in enumerate(texts) if text == name] for name in names}
    print({name: len(own) for name, own in by_name.items()}, f"{len(held)} held back")
    net = Net(len(names))
    optimiser = torch.optim.AdamW(net.parameters(), 3e-3, weight_decay=1e-3)
    steps = args.steps or max(40, len(texts) // 64)

    def picture(name):
        """A crop of a name: a real one mostly, where there are enough of them."""
        real = by_name[name]
        if name in icons and draw.random() > min(0.7, len(real) / 60):
            return pictures.fit(laid(draw.choice(icons[name]), draw.choice(grounds), draw), size)
        if name == args.background and grounds and draw.random() < 0.5:
            return pictures.fit(draw.choice(grounds), size)
        return crops[draw.choice(real)]

    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 3e-3, total_steps=args.epochs * steps)
    for epoch in range(args.epochs):
        net.train()
        total = 0.0
        for _ in range(steps):
            # Every name as often as another, however seldom it was seen.
            chosen = [draw.choice(names) for _ in range(args.batch)]
            batch = pictures.tensor([pictures.vary(picture(name), draw) for name in chosen])
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
