"""Reads exported edits with other programs' own readers and compares what they understood.

    python3 bench/highlights/validate_editors.py <log or folder>

Exports the same scenes in every format, at 30 and at 30000/1001 frames a second, and reads them back:
OpenTimelineIO (its C++ core for .otio; its adapters otio-cmx3600-adapter, otio-fcp-adapter and otio-fcpx-xml-adapter
for EDL, xmeml and FCPXML) and melt (MLT). All must tell of the same clips: name of the first frame of the recording,
length, place. Needs the Python modules on PYTHONPATH (with OTIO_PLUGIN_MANIFEST_PATH naming the adapters' manifests),
melt and xmllint.
"""

import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import opentimelineio as otio

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
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


def main(log):
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for rate_name, rate in (("30", 30), ("30000/1001", 29.97)):
            seen = {}
            for name in [*FORMATS, "mlt"]:
                path = os.path.join(folder, f"edit-{rate}.{name}")
                command = ["node", "src/cli/bin.ts", "export", log, "-f", name, "--rate", rate_name, "-o", path]
                subprocess.run(command, check=True, cwd=ROOT)
                if name in ("fcpxml", "xmeml", "mlt"):
                    subprocess.run(["xmllint", "--noout", path], check=True)
                seen[name] = clips_of_mlt(path) if name == "mlt" else clips_of(path, FORMATS[name], rate)
            for name, clips in seen.items():
                same = clips == seen["otio"]
                # The FCPXML adapter cuts off instead of rounding: 8.2 s are 245 frames to it, and 29.97 is 29 a second.
                known = name == "fcpxml" and (rate != 30 or all(
                    abs(a - b) <= 1 for clip, other in zip(clips, seen["otio"]) for a, b in zip(clip[:2], other[:2])
                ))
                wrong += 0 if same or known else 1
                verdict = "same" if same else "adapter's rounding" if known else "DIFFERS"
                print(f"{rate_name:>10} {name:7} {len(clips)} clips {verdict}: {clips[:2]} …")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
