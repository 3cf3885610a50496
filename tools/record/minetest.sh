#!/usr/bin/env bash
# Records a game of Minetest, played by a script of the server, which also writes what the screen must show.
#   minetest.sh SEED SECONDS WIDTHxHEIGHT MAXRATE_KBITS OUTPUT_FOLDER PART
# FPS=20, DELAY=12 seconds until the recording begins. LIMIT ends the game after so many seconds of the machine's time: the recording
# is then shorter. Needs Debian's minetest, xvfb, libgl1-mesa-dri, gcc, ffmpeg, python3. The game runs off-line (steady.c), whatever
# the machine. PART is learn or judge: OUTPUT_FOLDER gets PART.mp4 and PART.ndjson (game_truth.py), as bench/forge/judge.ts reads them.
set -euo pipefail
seed=$1 seconds=$2 size=$3 rate=$4 out=$5 part=$6 fps=${FPS:-20} delay=${DELAY:-12}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
out=$(realpath "$out")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc -O2 -shared -fPIC -o "$work/steady.so" "$here/steady.c" -ldl
mkdir -p "$work/world/worldmods/player"
sed "s|@SEED@|$seed|; s|@LOG@|$work/events.log|" "$here/minetest_player.lua" > "$work/world/worldmods/player/init.lua"
echo "name = player" > "$work/world/worldmods/player/mod.conf"
printf 'gameid = minetest\nbackend = sqlite3\nplayer_backend = sqlite3\nauth_backend = sqlite3\nmod_storage_backend = sqlite3\n' > "$work/world/world.mt"
cat > "$work/minetest.conf" <<EOF
screen_w = ${size%x*}
screen_h = ${size#*x}
fixed_map_seed = $seed
mg_name = v7
viewing_range = 60
enable_sound = false
vsync = false
fps_max = 1000
fps_max_unfocused = 1000
enable_clouds = false
secure.enable_security = false
show_debug = false
name = Wolfram
EOF
: > "$work/events.log"
mkfifo "$work/frames.rgb"
ffmpeg -v error -f rawvideo -pix_fmt rgb24 -s "$size" -r "$fps" -i "$work/frames.rgb" -vf "vflip,trim=start=$delay,setpts=PTS-STARTPTS,scale=out_color_matrix=bt709,format=yuv420p" \
  -c:v libx264 -preset "${PRESET:-veryfast}" -crf 24 -maxrate "${rate}k" -bufsize "$((2 * rate))k" -g "$((2 * fps))" -color_range tv -colorspace bt709 \
  -color_primaries bt709 -color_trc bt709 -threads 2 -movflags +faststart -y "$out/$part.mp4" &
HOME=$work STEADY_FPS=$fps STEADY_SIZE=$size STEADY_FRAMES=$((fps * (seconds + delay))) STEADY_NOTES="$work/frames.txt" \
  STEADY_VIDEO="$work/frames.rgb" STEADY_WATCH="$work/events.log" LP_NUM_THREADS=1 \
  xvfb-run -a -s "-screen 0 ${size}x24" timeout -k 3 "${LIMIT:-7200}" env LD_PRELOAD="$work/steady.so" /usr/games/minetest \
  --config "$work/minetest.conf" --world "$work/world" --gameid minetest --go --name Wolfram > "$work/game.txt" 2>&1 || true
wait
printf '{"fps": %d, "delay": %d, "width": %d, "height": %d, "kbits": %d, "seed": %d}\n' "$fps" "$delay" "${size%x*}" "${size#*x}" "$rate" "$seed" > "$work/clip.json"
"${PYTHON:-/usr/bin/python3}" "$here/game_truth.py" minetest "$work" "$part" > "$out/$part.ndjson"
