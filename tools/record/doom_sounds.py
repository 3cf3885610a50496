#!/usr/bin/env python3
"""When each sound of a Freedoom demo is heard, by the game itself.

    doom_sounds.py IWAD DEMO.lmp OUTPUT.json LUMP…

For every LUMP (DSPISTOL, DSSHOTGN, …) the demo is played once with every other sound replaced by silence and without music;
where the lump's beginning is found in what is heard then, it begins. OUTPUT.json: for every lump a list of [seconds, level, seconds
for which it is heard] (the game cuts a sound off when the same thing makes another), times without the melting screen before the
game begins, whose length differs. Monsters' shots are in it, with the level at which they arrive. Needs Debian's dsda-doom, xvfb, ffmpeg, python3-numpy.
"""
import json
import os
import struct
import subprocess
import sys
import tempfile
import wave

import numpy as np

RATE = 44100
CONFIG = """cap_fps 35
uncapped_framerate 0
videomode "Software"
render_wipescreen 0
snd_channels 32
cap_soundcommand "ffmpeg -v error -f s16le -ar %s -ac 2 -i - -ar 44100 -y sound.wav"
cap_videocommand "./drop.sh"
cap_muxcommand "true"
"""


def lumps(path):
    data = open(path, "rb").read()
    _, count, at = struct.unpack("<4sii", data[:12])
    for i in range(count):
        start, size, name = struct.unpack("<ii8s", data[at + 16 * i : at + 16 * i + 16])
        yield name.rstrip(b"\0").decode("latin1"), data[start : start + size]


def silent(names, path):
    """A PWAD in which these sounds are a hundredth of a second of silence."""
    quiet = struct.pack("<HHI", 3, 11025, 142) + b"\x80" * 142
    body, table = b"", b""
    for name in names:
        table += struct.pack("<ii8s", 12 + len(body), len(quiet), name.encode())
        body += quiet
    open(path, "wb").write(struct.pack("<4sii", b"PWAD", len(names), 12 + len(body)) + body + table)


def played(iwad, demo, pwad):
    """The sound of the demo, mono, -1…1."""
    with tempfile.TemporaryDirectory() as work:
        open(f"{work}/dsda.cfg", "w").write(CONFIG)
        open(f"{work}/drop.sh", "w").write("#!/bin/sh\nexec cat > /dev/null\n")
        os.chmod(f"{work}/drop.sh", 0o755)
        subprocess.run(
            ["xvfb-run", "-a", "-s", "-screen 0 320x200x24", "/usr/games/dsda-doom", "-iwad", iwad, "-file", pwad,
             "-config", f"{work}/dsda.cfg", "-timedemo", demo, "-geometry", "320x200", "-window", "-nomusic", "-viddump", "out.mkv"],
            cwd=work, env={**os.environ, "SDL_AUDIODRIVER": "dummy"}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        with wave.open(f"{work}/sound.wav") as file:
            data = np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2)
    return data.astype(float).sum(axis=1) / 65536


def begins(sound, lump):
    """Where the lump sets in, how loud it is and for how many seconds it is heard: [seconds, level, seconds]."""
    rate, count = struct.unpack("<HI", lump[2:8])
    raw = (np.frombuffer(lump[8 : 8 + count], np.uint8)[16:-16].astype(float) - 128) / 128
    wave_ = np.interp(np.arange(0, len(raw) - 1, rate / RATE), np.arange(len(raw)), raw)
    # The first 60 ms that are not silent.
    start = int(np.argmax(np.abs(wave_) > 0.05 * np.abs(wave_).max()))
    head = wave_[start : start + RATE * 60 // 1000]
    size = 1 << (len(sound) + len(head)).bit_length()
    answer = np.fft.irfft(np.fft.rfft(sound, size) * np.conj(np.fft.rfft(head, size)), size)[: len(sound)]
    power = np.concatenate([[0], np.cumsum(sound**2)])
    here = power[np.minimum(np.arange(len(sound)) + len(head), len(sound))] - power[: len(sound)]
    alike = answer / np.sqrt(here * (head**2).sum() + 1e-9)
    gain = answer / (head**2).sum()
    out = []
    for at in np.argsort(-alike):
        if alike[at] < 0.5:
            break
        if gain[at] > 0.002 and all(abs(at - other) > RATE * 0.08 for other, _, _ in out):
            out.append((int(at), float(gain[at]), 0.0))
    out.sort()
    heard = []
    for i, (at, level, _) in enumerate(out):
        end = min(at + len(wave_) - start, out[i + 1][0] if i + 1 < len(out) else len(sound))
        cells = np.abs(sound[at:end][: (end - at) // 441 * 441]).reshape(-1, 441).max(axis=1)
        loud = np.nonzero(cells > 0.03 * cells.max())[0]
        heard.append([round((at - start) / RATE, 4), round(level, 4), round((loud[-1] + 1) / 100, 2)])
    return heard


def main():
    iwad, demo, output, *wanted = sys.argv[1:]
    iwad, demo = os.path.realpath(iwad), os.path.realpath(demo)
    sounds = {name: data for name, data in lumps(iwad) if name.startswith("DS") and len(data) > 40}
    found = {}
    for name in wanted:
        with tempfile.NamedTemporaryFile(suffix=".wad") as pwad:
            silent([other for other in sounds if other != name], pwad.name)
            found[name] = begins(played(iwad, demo, pwad.name), sounds[name])
        print(name, len(found[name]), file=sys.stderr)
    json.dump(found, open(output, "w"))


main()
