#!/usr/bin/env bash
# Records NetHack in a terminal with what the terminal shows, as characters.
#   [FPS=15] [FONT="DejaVu Sans Mono"] [POINTS=14] nethack.sh WIDTHxHEIGHT SECONDS SEED OUTPUT_FOLDER
# Needs Debian's nethack-console, xterm, xvfb, ffmpeg, python3-pyte. OUTPUT_FOLDER gets video.mp4 and screen.ndjson, whose "t" is the
# time in the recording: nethack_truth.py makes the truth of it.
set -euo pipefail
size=$1 seconds=$2 seed=$3 out=$4
here=$(cd "$(dirname "$0")" && pwd)
fps=${FPS:-15}
mkdir -p "$out"
out=$(realpath "$out")
work=$(mktemp -d)
number=$((400 + RANDOM % 300))
Xvfb ":$number" -screen 0 "${size}x24" > /dev/null 2>&1 &
server=$!
trap 'kill $server 2> /dev/null || true; rm -rf "$work"' EXIT
export DISPLAY=:$number HOME=$work PATH=$PATH:/usr/games NETHACKOPTIONS="!legacy,!splash_screen,time,showexp,!tombstone,role:Valkyrie,race:human,gender:female,align:neutral,pettype:none,!autopickup,color,!mail,!news,disclose:-i -a -v -g -c -o"
sleep 1.5
xterm -fa "${FONT:-DejaVu Sans Mono}" -fs "${POINTS:-14}" -geometry 80x24+0+0 -b 2 -bg black -fg gray90 -e "${PYTHON:-/usr/bin/python3}" "$here/nethack_play.py" "$work/screen.ndjson" "$((seconds + 6))" "$seed" "${RATE:-3}" &
terminal=$!
sleep 3
# The clock's time of the first picture is in the copied time stamps.
ffmpeg -v error -f x11grab -draw_mouse 0 -framerate "$fps" -video_size "$size" -copyts -t "$seconds" -i ":$number" -fps_mode passthrough -c:v libx264rgb -qp 0 -preset ultrafast -y "$work/grabbed.mkv"
first=$(ffprobe -v error -select_streams v -show_entries packet=pts_time -read_intervals "%+#1" -of csv=p=0 "$work/grabbed.mkv" | head -1 | tr -d ,)
kill $terminal 2> /dev/null || true
ffmpeg -v error -i "$work/grabbed.mkv" -r "$fps" -c:v libx264 -preset fast -crf "${CRF:-23}" -g "$((2 * fps))" -pix_fmt yuv420p -threads 2 -y "$out/video.mp4"
"${PYTHON:-/usr/bin/python3}" - "$work/screen.ndjson" "$first" > "$out/screen.ndjson" <<'PY'
import json, sys
for line in open(sys.argv[1]):
    row = json.loads(line)
    print(json.dumps({"t": round(row["at"] - float(sys.argv[2]), 3), "top": row["top"], "status": row["status"]}))
PY
