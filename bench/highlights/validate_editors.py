"""Reads exported edits with other programs' own readers and compares what they understood.

    python3 bench/highlights/validate_editors.py <log or folder>

Exports the same scenes in every format, at 30 and at 30000/1001 frames a second, and reads them back:
OpenTimelineIO (its C++ core for .otio; its adapters otio-cmx3600-adapter, otio-fcp-adapter and otio-fcpx-xml-adapter
for EDL, xmeml and FCPXML), melt (MLT), a JSON5 and a CSV parser (LosslessCut, DaVinci Resolve), a WebVTT parser. All must
describe the same clips: first frame of the recording, length, place. XML is checked by the formats' own DTDs: MLT's from its
package, Apple's from the file that FCPXML_DTD names. Needs the Python modules on PYTHONPATH (with
OTIO_PLUGIN_MANIFEST_PATH naming the adapters' manifests; Debian: python3-lxml, python3-json5, python3-webvtt) and melt.
"""

import csv
import io
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import json5
import opentimelineio as otio
import webvtt
from lxml import etree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MLT_DTD = "/usr/share/mlt-7/xml/mlt-xml.dtd"
FORMATS = {"otio": "otio_json", "edl": "cmx_3600", "xmeml": "fcp_xml", "fcpxml": "fcpx_xml"}


def timeline_in(found):
    if isinstance(found, otio.schema.Timeline):
        return found
    for child in found if hasattr(found, "__iter__") else []:
        inner = timeline_in(child)
        if inner is not None:
            return inner
    return None


def clips_of(path, adapter, rate):
    options = {"rate": rate} if adapter == "cmx_3600" else {}
    timeline = timeline_in(otio.adapters.read_from_file(path, adapter_name=adapter, **options))
    track = next(track for track in timeline.tracks if track.kind == "Video")
    return [
        (
            round(clip.source_range.start_time.value),
            round(clip.source_range.duration.value),
            round(clip.range_in_parent().start_time.value),
        )
        for clip in track.find_clips()
    ]


def clips_of_mlt(path):
    subprocess.run(["melt", path, "-consumer", "xml:" + path + ".read", "all=1"], check=True, capture_output=True)
    frames = int(ElementTree.parse(path + ".read").getroot().find(".//property[@name='length']").text)
    at = 0
    clips = []
    for entry in ElementTree.parse(path).getroot().iter("entry"):
        start, end = int(entry.get("in")), int(entry.get("out"))
        clips.append((start, end - start + 1, at))
        at += end - start + 1
    assert frames == at, f"melt sees {frames} frames, the playlist holds {at}"
    return clips


def frame_of(code, rate):
    """Frame of a timecode by OpenTimelineIO, drop-frame where it has a semicolon."""
    return round(otio.opentime.from_timecode(code, rate).value)


def check_dtd(path, dtd):
    with open(dtd, encoding="utf-8") as file:
        # MLT 7 publishes a content model without its brackets, which no parser takes.
        text = file.read().replace("<!ELEMENT properties property >", "<!ELEMENT properties (property | properties)* >")
    rules = etree.DTD(io.StringIO(text.split("?>", 1)[1] if text.startswith("<?xml") else text))
    valid = rules.validate(etree.parse(path))
    for line in [] if valid else rules.error_log.filter_from_errors()[:5]:
        print("   ", line)
    return valid


def check_lists(log, folder, rate, clips, markers):
    """LosslessCut, DaVinci Resolve and WebVTT, by parsers of their own; the number of formats that differ."""
    wrong = 0
    names = ["losslesscut", "losslesscut-csv", "resolve-csv", "resolve-edl", "reel-vtt", "vtt"]
    paths = {name: os.path.join(folder, f"list-{rate}.{name}") for name in names}
    arguments = [word for name, path in paths.items() for word in ("-f", name, "-o", path)]
    rate_name = "30" if rate == 30 else "30000/1001"
    subprocess.run(["node", "src/cli/bin.ts", "export", log, "--rate", rate_name, *arguments], check=True, cwd=ROOT)
    near = lambda seconds, frame: abs(seconds * rate - frame) <= 0.51
    with open(paths["losslesscut"], encoding="utf-8") as file:
        segments = json5.load(file)["cutSegments"]
    seen = {"losslesscut": [(part["start"], part["end"]) for part in segments]}
    with open(paths["losslesscut-csv"], encoding="utf-8", newline="") as file:
        seen["losslesscut-csv"] = [(float(row[0]), float(row[1])) for row in csv.reader(file)]
    for name, parts in seen.items():
        same = len(parts) == len(clips) and all(
            near(start, clip[0]) and near(end, clip[0] + clip[1]) for (start, end), clip in zip(parts, clips)
        )
        wrong += 0 if same else 1
        print(f"{rate_name:>10} {name:15} {len(parts)} segments {'same' if same else 'DIFFER'}")
    hour = frame_of("01:00:00;00" if rate != 30 else "01:00:00:00", rate)
    with open(paths["resolve-csv"], encoding="utf-8", newline="") as file:
        listed = [(frame_of(row["Start"], rate) - hour, row["Name"]) for row in csv.DictReader(file)]
    timeline = timeline_in(otio.adapters.read_from_file(paths["resolve-edl"], adapter_name="cmx_3600", rate=rate))
    cut = [round(clip.source_range.start_time.value) - hour for clip in timeline.tracks[0].find_clips()]
    for name, same in (("resolve-csv", listed == markers), ("resolve-edl", cut == [at for at, _ in markers])):
        wrong += 0 if same else 1
        print(f"{rate_name:>10} {name:15} {len(markers)} markers {'same' if same else 'DIFFER'}")
    for name in ("reel-vtt", "vtt"):
        cues = webvtt.read(paths[name])
        ordered = all(a.end <= b.start for a, b in zip(cues, list(cues)[1:]))
        wrong += 0 if len(cues) > 0 and ordered else 1
        print(f"{rate_name:>10} {name:15} {len(cues)} cues, {'none over another' if ordered else 'OVERLAPPING'}")
    return wrong


def markers_of(path):
    """Place in the edit and text of every marker, by OpenTimelineIO."""
    timeline = otio.adapters.read_from_file(path)
    track = next(track for track in timeline.tracks if track.kind == "Video")
    return [
        (round((marker.marked_range.start_time - clip.source_range.start_time + clip.range_in_parent().start_time).value), marker.name)
        for clip in track.find_clips()
        for marker in clip.markers
    ]


def main(log):
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for rate_name, rate in (("30", 30), ("30000/1001", 30000 / 1001)):
            seen = {}
            for name in [*FORMATS, "mlt"]:
                path = os.path.join(folder, f"edit-{rate}.{name}")
                command = ["node", "src/cli/bin.ts", "export", log, "-f", name, "--rate", rate_name, "-o", path]
                subprocess.run(command, check=True, cwd=ROOT)
                dtd = {"fcpxml": os.environ.get("FCPXML_DTD"), "mlt": MLT_DTD}.get(name)
                if name in ("fcpxml", "xmeml", "mlt"):
                    etree.parse(path)
                if dtd:
                    valid = check_dtd(path, dtd)
                    wrong += 0 if valid else 1
                    print(f"{rate_name:>10} {name:15} {'follows' if valid else 'BREAKS'} {os.path.basename(dtd)}")
                seen[name] = clips_of_mlt(path) if name == "mlt" else clips_of(path, FORMATS[name], rate)
            for name, clips in seen.items():
                same = clips == seen["otio"]
                # The FCPXML adapter cuts off instead of rounding: 8.2 s are 245 frames to it, and 29.97 is 29 a second.
                known = name == "fcpxml" and (rate != 30 or all(
                    abs(a - b) <= 1 for clip, other in zip(clips, seen["otio"]) for a, b in zip(clip[:2], other[:2])
                ))
                wrong += 0 if same or known else 1
                verdict = "same" if same else "adapter's rounding" if known else "DIFFERS"
                print(f"{rate_name:>10} {name:15} {len(clips)} clips {verdict}: {clips[:2]} …")
            edit = os.path.join(folder, f"edit-{rate}.otio")
            wrong += check_lists(log, folder, rate, seen["otio"], markers_of(edit))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
