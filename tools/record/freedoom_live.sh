#!/usr/bin/env bash
# Plays Freedoom by a list of keys and records it with its truth: cheats, menus, saving and loading, gamma, all that no demo holds.
#   [FPS=20] [CRF=24] [ARGS="-warp 1 1 -skill 3"] freedoom_live.sh IWAD WIDTHxHEIGHT SECONDS ACTIONS.txt OUTPUT_FOLDER
# ACTIONS.txt: lines "SECONDS XDOTOOL-ARGUMENTS", as "3.5 keydown Up" or "9 type --delay 60 iddqd"; seconds of the recording.
# The screen is grabbed without loss while the game runs, so frames come as the machine allows; afterwards each goes, untouched, to the
# reader of the truth and to the encoder: frame i of video.mp4 and of truth.json is the same. No sound.
# Needs Debian's dsda-doom, freedoom, xvfb, xdotool, ffmpeg, python3-numpy.
set -euo pipefail
iwad=$(realpath "$1") size=$2 seconds=$3 actions=$(realpath "$4") out=$5
here=$(cd "$(dirname "$0")" && pwd)
fps=${FPS:-20}
mkdir -p "$out"
out=$(realpath "$out")
work=$(mktemp -d)
trap 'kill $(jobs -p) 2> /dev/null || true; rm -rf "$work"' EXIT
number=$((90 + RANDOM % 300))
Xvfb ":$number" -screen 0 "${size}x24" > /dev/null 2>&1 &
export DISPLAY=:$number SDL_AUDIODRIVER=dummy
sleep 1.5
cat > "$work/dsda.cfg" <<CFG
show_messages 1
render_wipescreen 1
uncapped_framerate 0
videomode "Software"
use_mouse 0
CFG
cd "$work"
# shellcheck disable=SC2086
/usr/games/dsda-doom -iwad "$iwad" -config "$work/dsda.cfg" -save "$work" ${ARGS:--warp 1 1 -skill 3} -geometry "$size" -window -nomusic > dsda.log 2>&1 &
sleep "${WAIT:-4}"
{
  begun=$(date +%s.%N)
  while read -r at rest; do
    [ -n "$at" ] || continue
    sleep "$(awk -v at="$at" -v begun="$begun" -v now="$(date +%s.%N)" 'BEGIN { left = at - (now - begun); print (left > 0 ? left : 0) }')"
    # shellcheck disable=SC2086
    xdotool $rest || true
  done < "$actions"
} &
ffmpeg -v error -f x11grab -draw_mouse 0 -framerate "$fps" -video_size "$size" -t "$seconds" -i ":$number" -r "$fps" -c:v libx264rgb -qp 0 -preset ultrafast -y grabbed.mkv
ffmpeg -v error -i grabbed.mkv -f rawvideo -pix_fmt rgb24 - | "${PYTHON:-/usr/bin/python3}" "$here/doom_truth.py" "$size" "$iwad" truth.json "$fps"
ffmpeg -v error -i grabbed.mkv -c:v libx264 -preset "${PRESET:-fast}" -crf "${CRF:-24}" -g "$((2 * fps))" -pix_fmt yuv420p -threads 2 -y video.mp4
[ -s video.mp4 ] && [ -s truth.json ] || { tail dsda.log >&2; exit 1; }
mv video.mp4 truth.json "$out"
