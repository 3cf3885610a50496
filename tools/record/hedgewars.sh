#!/usr/bin/env bash
# Records a match of Hedgewars' computer players with what the engine's own script tells of it.
#   hedgewars.sh SEED THEME SECONDS WIDTHxHEIGHT MAXRATE_KBITS OUTPUT_FOLDER TEAM:COLOR:HEALTH:HOG,HOG… TEAM:…
# LOCALE (en): the language that the game speaks, one of its Data/Locale/*.txt.
# Needs Debian's hedgewars, xvfb, libgl1-mesa-dri, gcc, ffmpeg. The engine runs off-line: a frame every 1/FPS (30) of a second of
# its clock, however slow the machine (steady.c). OUTPUT_FOLDER gets video.mp4, engine.log (the script's lines) and frames.txt
# (frame, length of engine.log's source when it was shown), from which hedgewars_truth.py makes the truth.
set -euo pipefail
fps=${FPS:-30} seed=$1 theme=$2 seconds=$3 size=$4 rate=$5 out=$6
shift 6
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
out=$(realpath "$out")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/Data/Scripts" "$work/Logs"
cc -O2 -shared -fPIC -o "$work/steady.so" "$here/steady.c" -ldl
teams=
for team in "$@"; do
  IFS=: read -r name color health hogs <<< "$team"
  teams+="	AddTeam('$name', 0x$color, 'Statue', 'Castle', 'Default', 'hedgewars')"$'\n'
  IFS=, read -ra list <<< "$hogs"
  for hog in "${list[@]}"; do teams+="	AddHog('$hog', ${LEVEL:-2}, $health, 'NoHat')"$'\n'; done
done
script=$(< "$here/hedgewars_match.lua")
script=${script//@SEED@/$seed} script=${script//@THEME@/$theme} script=${script//@TEAMS@/$teams}
script=${script//@TURN@/${TURN:-20000}} script=${script//@FILTER@/${FILTER:-1}} script=${script//@SUDDEN@/${SUDDEN:-15}}
printf '%s\n' "$script" > "$work/Data/Scripts/match.lua"
# A "demo" that only says: play this script here.
printf '\x02TL\x19escript Scripts/match.lua' > "$work/match.hwd"
mkfifo "$work/frames.rgb"
ffmpeg -v error -f rawvideo -pix_fmt rgb24 -s "$size" -r "$fps" -i "$work/frames.rgb" -vf "vflip,scale=out_color_matrix=bt709,format=yuv420p" \
  -c:v libx264 -preset "${PRESET:-veryfast}" -crf 24 -maxrate "${rate}k" -bufsize "$((2 * rate))k" -g "$((2 * fps))" -color_range tv -colorspace bt709 -color_primaries bt709 \
  -color_trc bt709 -threads 2 -y "$work/picture.mp4" &
SDL_AUDIODRIVER=disk SDL_DISKAUDIOFILE="$work/sound.raw" STEADY_FPS=$fps STEADY_SIZE=$size STEADY_FRAMES=$((fps * seconds)) \
  STEADY_NOTES="$out/frames.txt" STEADY_VIDEO="$work/frames.rgb" STEADY_WATCH="$work/Logs/game0.log" \
  xvfb-run -a -s "-screen 0 ${size}x24" env LD_PRELOAD="$work/steady.so" /usr/lib/hedgewars/bin/hwengine "$work/match.hwd" \
  --prefix /usr/share/games/hedgewars/Data --user-prefix "$work" --width "${size%x*}" --height "${size#*x}" --nomusic --volume 60 \
  --locale "${LOCALE:-en}.txt" > "$work/engine.txt" 2>&1 || true
wait
cp "$work/Logs/game0.log" "$out/engine.log"
# SDL waits whole milliseconds (23 for 1024 samples): a hundredth too much sound, which this takes back.
ffmpeg -v error -i "$work/picture.mp4" -f s16le -ar 44100 -ac 2 -i "$work/sound.raw" -af "asetrate=44100*1024/1014.3,aresample=44100,apad" -shortest \
  -c:v copy -c:a aac -b:a 96k -movflags +faststart -y "$out/video.mp4"
