#!/usr/bin/env python3
"""When sounds of an OpenArena demo are heard, by the game itself.

    oa_sounds.py HOME NAME OUTPUT_FOLDER LABEL=SOUND,SOUND… …

HOME is the folder of a recorded match (openarena.sh record NAME …). Its demo is played once as it is (OUTPUT_FOLDER/video.mp4, small: it is
the sound that counts) and once for every LABEL with all other sounds of the game replaced by silence; where one of the label's files begins in what is
heard then, it begins. OUTPUT_FOLDER/heard.json: for every label a list of [seconds, level, seconds for which it is heard], everybody's
and from every distance; truth.json: the followed player's rounds by the demo's snapshots, on the same clock within a frame or two. Needs Debian's openarena,
xvfb, libgl1-mesa-dri, ffmpeg, python3-numpy.
"""
import json
import os
import struct
import subprocess
import sys
import wave
import zipfile
from glob import glob

import numpy as np

GAME = "/usr/share/games/openarena/baseoa"
RATE = 44100
FPS = 30
QUIET = b"RIFF" + struct.pack("<I4s4sIHHIIHH4sI", 36 + 440, b"WAVE", b"fmt ", 16, 1, 1, 22050, 44100, 2, 16, b"data", 440) + bytes(440)


def sounds():
    """Every sound of the game, as it is last defined."""
    found = {}
    for pack in sorted(glob(f"{GAME}/*.pk3")):
        with zipfile.ZipFile(pack) as file:
            for name in file.namelist():
                if name.lower().endswith((".wav", ".ogg")):
                    found[name.lower()] = (pack, name)
    return found


def silence(every, kept, path):
    with zipfile.ZipFile(path, "w") as file:
        for name in every:
            if name not in kept and name.endswith(".wav"):
                file.writestr(name, QUIET)
        file.writestr("music/nothing.txt", "")


def play(home, name, avi):
    """The demo, frame by frame, into avi."""
    command = ["xvfb-run", "-a", "-s", "-screen 0 160x120x24", "/usr/games/openarena", "+set", "fs_homepath", f"{home}/client", "+set", "cl_renderer", "opengl1", "+set", "r_mode", "-1", "+set", "r_customwidth", "160", "+set", "r_customheight", "120", "+set", "r_fullscreen", "0", "+set", "r_picmip", "5", "+set", "s_initsound", "1", "+set", "s_useOpenAL", "0", "+set", "s_musicvolume", "0", "+set", "ttycon", "0", "+set", "cl_aviFrameRate", str(FPS), "+set", "cl_aviMotionJpeg", "1", "+set", "nextdemo", "quit", "+demo", name, "+video", name]  # fmt: skip
    subprocess.run(command, env={**os.environ, "SDL_AUDIODRIVER": "dummy"}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.replace(f"{home}/client/baseoa/videos/{name}.avi", avi)


def heard(path):
    raw = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-f", "s16le", "-ac", "1", "-ar", str(RATE), "-"], capture_output=True, check=True).stdout
    return np.frombuffer(raw, "<i2").astype(float) / 32768


def begins(sound, head):
    """Where a file's beginning sets in, and how loud: greedily, what was found being taken away."""
    left = sound.copy()
    head = head[: RATE * 60 // 1000]
    energy = (head**2).sum()
    size = 1 << (len(sound) + len(head)).bit_length()
    spectrum = np.conj(np.fft.rfft(head, size))
    found = []
    for _ in range(8):
        answer = np.fft.irfft(np.fft.rfft(left, size) * spectrum, size)[: len(sound)]
        power = np.concatenate([[0], np.cumsum(left**2)])
        here = power[np.minimum(np.arange(len(left)) + len(head), len(left))] - power[: len(left)]
        alike = answer / np.sqrt(np.maximum(here, 1e-6) * energy)
        order = np.flatnonzero((alike > 0.6) & (answer / energy > 0.01))
        fresh = []
        for at in order[np.argsort(-answer[order])]:
            if all(abs(at - other) > 0.04 * RATE for other, _ in fresh):
                fresh.append((at, answer[at] / energy))
        for at, gain in fresh:
            part = left[at : at + len(head)]
            part -= gain * head[: len(part)]
        found += fresh
        if not fresh:
            break
    return found


def file_sound(every, name):
    pack, path = every[name]
    with zipfile.ZipFile(pack) as file, file.open(path) as raw:
        data = subprocess.run(["ffmpeg", "-v", "error", "-i", "-", "-f", "s16le", "-ac", "1", "-ar", str(RATE), "-"], input=raw.read(), capture_output=True, check=True).stdout
    samples = np.frombuffer(data, "<i2").astype(float) / 32768
    return samples[int(np.argmax(np.abs(samples) > 0.05 * np.abs(samples).max())) :]


def main():
    home, name, out, *groups = sys.argv[1:]
    home = os.path.abspath(home)
    os.makedirs(out, exist_ok=True)
    every = sounds()
    pack = f"{home}/client/baseoa/zz_silence.pk3"
    if os.path.exists(pack):
        os.remove(pack)
    if not os.path.exists(f"{out}/video.mp4"):
        play(home, name, f"{out}/all.avi")
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", f"{out}/all.avi", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac", "-b:a", "96k", f"{out}/video.mp4"], check=True)
        os.remove(f"{out}/all.avi")
    result = {}
    for group in groups:
        label, files = group.split("=")
        files = files.split(",")
        silence(every, files, pack)
        play(home, name, f"{out}/{label}.avi")
        sound = heard(f"{out}/{label}.avi")
        os.remove(f"{out}/{label}.avi")
        os.remove(pack)
        places = sorted((at, gain) for path in files for at, gain in begins(sound, file_sound(every, path)))
        kept = []
        for at, gain in places:
            if kept and at - kept[-1][0] < 0.045 * RATE:
                kept[-1] = max(kept[-1], (at, gain), key=lambda one: one[1])
            else:
                kept.append((at, gain))
        result[label] = [[round(at / RATE, 4), round(float(gain), 4), 1] for at, gain in kept]
        print(label, len(kept))
    with open(f"{out}/heard.json", "w") as file:
        json.dump(result, file)


main()
