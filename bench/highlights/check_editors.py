"""Reads exported edits by what their formats say, to the frame, at every rate that has a name:

    python3 bench/highlights/check_editors.py <log or folder>

Copies a recording's log into folders whose names hold spaces, umlauts, percent and quotation marks, exports the same
scenes at 23.976, 24, 25, 29.97, 30, 50, 59.94 and 60 frames a second with absolute and with relative media paths, and
asks of each file: are its clips those of the highlight list, is every time in FCPXML a whole number of frames, is drop-frame
timecode the label that SMPTE counting gives, does the path lead to the recording. Needs nothing but Python, and melt for
MLT (Debian: melt). OpenTimelineIO's own readers: validate_editors.py.
"""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from fractions import Fraction
from urllib.parse import quote, unquote, urlparse

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RATES = {
    "23.976": Fraction(24000, 1001),
    "24": Fraction(24),
    "25": Fraction(25),
    "29.97": Fraction(30000, 1001),
    "30": Fraction(30),
    "50": Fraction(50),
    "59.94": Fraction(60000, 1001),
    "60": Fraction(60),
}
ENDINGS = {
    "fcpxml": "fcpxml", "xmeml": "xml", "edl": "edl", "otio": "otio", "mlt": "mlt", "losslesscut": "llc",
    "losslesscut-csv": "csv", "resolve-edl": "markers.edl", "resolve-csv": "markers.csv", "json": "json",
}


def labels(rate, count):
    """Timecode labels of the first `count` frames from one hour on, counted out one by one: SMPTE ST 12-1."""
    fps = round(rate)
    drop = rate.denominator == 1001 and fps % 30 == 0
    found = {}
    hours, minutes, seconds, frames = 1, 0, 0, 0
    for frame in range(count):
        found[f"{hours:02}:{minutes:02}:{seconds:02}{';' if drop else ':'}{frames:02}"] = frame
        frames += 1
        if frames == fps:
            frames, seconds = 0, seconds + 1
        if seconds == 60:
            seconds, minutes = 0, minutes + 1
            if drop and minutes % 10 != 0:
                frames = 2 * fps // 30
        if minutes == 60:
            minutes, hours = 0, hours + 1
    return found


def path_of(url, folder):
    """The file that a URL leads to from a folder."""
    parsed = urlparse(url)
    path = unquote(parsed.path)
    return os.path.realpath(os.path.join(folder, path))


def seconds_of(text):
    return Fraction(text.rstrip("s"))


def read_fcpxml(path, rate):
    root = ElementTree.parse(path).getroot()
    frame = seconds_of(root.find(".//format").get("frameDuration"))
    assert frame == 1 / rate, f"a frame lasts {frame}"
    for element in root.iter():
        for name in ("start", "duration", "offset", "tcStart"):
            value = element.get(name)
            assert value is None or (seconds_of(value) / frame).denominator == 1, f"{value} is no whole number of frames"
    clips = [[int(seconds_of(clip.get(name)) / frame) for name in ("start", "duration", "offset")] for clip in root.iter("asset-clip")]
    return clips, root.find(".//media-rep").get("src")


def read_xmeml(path, rate):
    root = ElementTree.parse(path).getroot()
    stated = int(root.find("sequence/rate/timebase").text), root.find("sequence/rate/ntsc").text == "TRUE"
    assert stated == (round(rate), rate.denominator == 1001), f"the rate is {stated}"
    clips = []
    for item in root.findall(".//video/track/clipitem"):
        start, end, first, behind = (int(item.find(name).text) for name in ("start", "end", "in", "out"))
        assert end - start == behind - first
        clips.append([first, behind - first, start])
    return clips, root.find(".//pathurl").text


def read_edl(path, rate):
    text = open(path, encoding="utf-8").read()
    hour = labels(rate, 60 * 60 * round(rate) + 1)
    source = {label.replace("01:", "00:", 1): frame for label, frame in hour.items()}
    clips = []
    for line in re.findall(r"^\d{3}  \S+ +\S+ +C +(\S+) (\S+) (\S+) (\S+)", text, re.M):
        first, behind, start, end = source[line[0]], source[line[1]], hour[line[2]], hour[line[3]]
        assert end - start == behind - first
        clips.append([first, behind - first, start])
    return clips, quote(re.search(r"^\* SOURCE FILE: (.*)$", text, re.M).group(1))


def read_otio(path, rate):
    timeline = json.load(open(path, encoding="utf-8"))
    assert timeline["OTIO_SCHEMA"] == "Timeline.1"
    track = next(track for track in timeline["tracks"]["children"] if track["kind"] == "Video")
    clips, at = [], 0
    for clip in track["children"]:
        start, length = clip["source_range"]["start_time"], clip["source_range"]["duration"]
        assert all(abs(time["rate"] - float(rate)) < 1e-9 for time in (start, length))
        clips.append([start["value"], length["value"], at])
        at += length["value"]
    references = track["children"][0]
    reference = references.get("media_reference") or references["media_references"][references["active_media_reference_key"]]
    return clips, reference["target_url"]


def read_mlt(path, rate):
    root = ElementTree.parse(path).getroot()
    profile = root.find("profile")
    assert Fraction(int(profile.get("frame_rate_num")), int(profile.get("frame_rate_den"))) == rate
    clips, at = [], 0
    for entry in root.iter("entry"):
        first, last = int(entry.get("in")), int(entry.get("out"))
        clips.append([first, last - first + 1, at])
        at += last - first + 1
    folder, name = os.path.split(path)
    subprocess.run(["melt", name, "-consumer", "xml:read.xml"], capture_output=True, check=True, cwd=folder)
    seen = os.path.join(folder, "read.xml")
    read = ElementTree.parse(seen).getroot()
    assert int(read.find(".//property[@name='length']").text) == at, "melt sees another length"
    return clips, quote(root.find(".//property[@name='resource']").text)


READERS = {"fcpxml": read_fcpxml, "xmeml": read_xmeml, "edl": read_edl, "otio": read_otio, "mlt": read_mlt}


def check(folder, log, media, name, rate, relative):
    out = os.path.join(folder, "hand over")
    os.makedirs(out, exist_ok=True)
    paths = {each: os.path.join(out, f"edit {name}.{ending}") for each, ending in ENDINGS.items()}
    words = [word for each, path in paths.items() for word in ("-f", each, "-o", path)]
    command = ["node", os.path.join(ROOT, "src/cli/launch.js"), "export", log, "--rate", name, *words]
    subprocess.run([*command, *(["--relative"] if relative else [])], check=True)
    scenes = json.load(open(paths["json"], encoding="utf-8"))["scenes"]
    wanted, at = [], 0
    for scene in scenes:
        first = round(Fraction(str(scene["start"])) * rate + Fraction(1, 10**9))
        length = round(Fraction(str(scene["end"])) * rate + Fraction(1, 10**9)) - first
        wanted.append([first, length, at])
        at += length
    wrong = []
    for each, reader in READERS.items():
        try:
            clips, url = reader(paths[each], rate)
            assert clips == wanted, f"clips are {clips[:3]}, not {wanted[:3]}"
            assert path_of(url, out) == os.path.realpath(media), f"{url} leads to {path_of(url, out)}"
            assert relative != (url.startswith("/") or url.startswith("file:")), f"{url} is {'no' if relative else 'a'} relative path"
        except (AssertionError, KeyError, AttributeError, ElementTree.ParseError) as error:
            wrong.append(f"{each}: {type(error).__name__} {error}")
    markers = [event for scene in scenes for event in scene["events"]]
    codes = labels(rate, 60 * 60 * round(rate))
    places = [at + round(event["t"] * rate) - first for (first, _, at), scene in zip(wanted, scenes) for event in scene["events"]]
    listed = [codes.get(row["Start"]) for row in csv.DictReader(open(paths["resolve-csv"], encoding="utf-8", newline=""))]
    events = [codes.get(code) for code in re.findall(r"^\d{3}  \S+ +V +C +\S+ \S+ (\S+)", open(paths["resolve-edl"], encoding="utf-8").read(), re.M)]
    for each, seen in (("resolve-csv", listed), ("resolve-edl", events)):
        if None in seen or len(seen) > len(markers) or not set(seen) <= set(places):
            wrong.append(f"{each}: markers {seen[:5]}, not {places[:5]}")
    segments = json.load(open(paths["losslesscut"], encoding="utf-8"))["cutSegments"]
    rows = list(csv.reader(open(paths["losslesscut-csv"], encoding="utf-8", newline="")))
    for each, parts in (("losslesscut", [(part["start"], part["end"]) for part in segments]), ("losslesscut-csv", [(float(row[0]), float(row[1])) for row in rows])):
        if parts != [(scene["start"], scene["end"]) for scene in scenes]:
            wrong.append(f"{each}: {parts[:3]}")
    print(f"{name:>7} {'relative' if relative else 'absolute'}  {len(wanted)} clips, {len(places)} markers  {'the same in all formats' if not wrong else ''}")
    for line in wrong:
        print("       ", line)
    return len(wrong)


def main(log):
    source = log if os.path.isfile(log) else os.path.join(log, "events.ndjson")
    header = json.loads(open(source, encoding="utf-8").readline())
    beside = os.path.dirname(os.path.abspath(os.path.dirname(source)))
    with tempfile.TemporaryDirectory() as folder:
        place = os.path.join(folder, 'Spaß & "más" 100% #1')
        copy = os.path.join(place, "ünï 100% (1).playbyplay")
        os.makedirs(copy)
        name = "ünï 100% (1).mp4"
        media = os.path.join(place, name)
        shutil.copyfile(os.path.join(beside, header["media"]["name"]), media)
        header["media"]["name"] = name
        lines = open(source, encoding="utf-8").read().split("\n", 1)[1]
        with open(os.path.join(copy, "events.ndjson"), "w", encoding="utf-8") as file:
            file.write(json.dumps(header) + "\n" + lines)
        return 1 if sum(check(place, copy, media, each, rate, relative) for each, rate in RATES.items() for relative in (False, True)) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
