#!/usr/bin/env bash
# Worse renderings of a clip with the same truth: degrade.sh CLIP_FOLDER OUTPUT_FOLDER
# Writes OUTPUT_FOLDER/<clip>_half (half the bitrate), _crf32, _480p (854x480), _blur (a slight Gaussian blur).
set -euo pipefail
clip=$(realpath "$1") out=$2 name=$(basename "$1")
rate=$(ffprobe -v error -select_streams v:0 -show_entries stream=bit_rate -of csv=p=0 "$clip/video.mp4" | tr -dc 0-9)
gop=$(ffprobe -v error -select_streams v:0 -show_entries stream=r_frame_rate -of csv=p=0 "$clip/video.mp4" | cut -d/ -f1)
encode() {
  local to="$out/${name}_$1"
  shift
  mkdir -p "$to"
  nice ffmpeg -v error -y -i "$clip/video.mp4" -c:v libx264 -preset veryfast -g $((2 * gop)) -pix_fmt yuv420p -threads 2 "$@" -c:a copy -movflags +faststart "$to/video.mp4"
  cp "$clip/truth.json" "$to/truth.json"
}
encode half -b:v $((rate / 2)) -maxrate $((rate / 2)) -bufsize "$rate"
encode crf32 -crf 32
encode 480p -vf scale=854:480:flags=bicubic -crf 24 -maxrate $((rate / 2)) -bufsize "$rate"
encode blur -vf gblur=sigma=1.2 -crf 26
