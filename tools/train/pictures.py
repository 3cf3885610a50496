"""Data sets as `playbyplay profile export` writes them (folders), read and varied for training. numpy and OpenCV."""
import json
import os

import cv2
import numpy as np


def load(folder, size):
    """Crops of both parts as (pictures, texts): uint8 RGB arrays of (width, height) pixels."""
    parts = {"train": ([], []), "val": ([], [])}
    with open(os.path.join(folder, "labels.ndjson"), encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            picture = cv2.cvtColor(cv2.imread(os.path.join(folder, row["file"])), cv2.COLOR_BGR2RGB)
            parts[row["part"]][0].append(fit(picture, size))
            parts[row["part"]][1].append(row["text"])
    return {part: (np.stack(pictures) if pictures else np.zeros((0, size[1], size[0], 3), np.uint8), texts) for part, (pictures, texts) in parts.items()}


def fit(picture, size):
    """As the detector does it: area means where it shrinks, else bilinear."""
    shrinks = picture.shape[1] > size[0] or picture.shape[0] > size[1]
    return cv2.resize(picture, size, interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)


def vary(picture, random, shift=2):
    """What recordings do to a HUD: another size, blur, compression, noise, the light and tint of the scene, a shift."""
    height, width = picture.shape[:2]
    out = picture
    if random.random() < 0.5:
        by = random.uniform(0.35, 1)
        small = cv2.resize(out, (max(4, int(width * by)), max(4, int(height * by))), interpolation=cv2.INTER_AREA)
        out = cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR)
    if random.random() < 0.4:
        out = cv2.GaussianBlur(out, (0, 0), random.uniform(0.3, 2.0))
    if random.random() < 0.5:
        _, data = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, int(random.uniform(10, 80))])
        out = cv2.imdecode(data, cv2.IMREAD_COLOR)
    out = out.astype(np.float32)
    if random.random() < 0.5:
        out = out * random.uniform(0.6, 1.3) + random.uniform(-30, 30)
    if random.random() < 0.3:
        tint = np.array([random.uniform(0, 255) for _ in range(3)], np.float32)
        out += (tint - out) * random.uniform(0, 0.5)
    if random.random() < 0.4:
        out += np.random.default_rng(random.getrandbits(32)).normal(0, random.uniform(2, 20), out.shape)
    dx, dy = random.uniform(-shift, shift), random.uniform(-shift, shift)
    scale = random.uniform(0.94, 1.06)
    matrix = np.array([[scale, 0, dx + width * (1 - scale) / 2], [0, scale, dy + height * (1 - scale) / 2]], np.float32)
    out = cv2.warpAffine(np.clip(out, 0, 255), matrix, (width, height), borderMode=cv2.BORDER_REFLECT_101)
    return out.clip(0, 255).astype(np.uint8)


def tensor(pictures):
    """A batch × 3 × height × width tensor of 0…1."""
    import torch

    return torch.from_numpy(np.ascontiguousarray(np.asarray(pictures).transpose(0, 3, 1, 2))).float() / 255
