#!/usr/bin/env bash
# Records a match of Nexuiz's bots with the game's own event log.
#   nexuiz.sh MAP SECONDS WIDTHxHEIGHT MAXRATE_KBITS OUTPUT_FOLDER PART
# BOTS=6 and SKILL=5: how many play and how well. FPS=20 (at least 10: the game moves on by 0.1 s a picture at most), DELAY=12 seconds
# until the recording begins, LIMIT ends the game after so many seconds of the machine's time: the recording is then shorter.
# Needs Debian's nexuiz, xvfb, libgl1-mesa-dri, gcc, ffmpeg, python3. The game runs off-line (steady.c): server and client in one
# program, whatever the machine. PART is learn or judge: OUTPUT_FOLDER gets PART.mp4 and PART.ndjson (game_truth.py), as
# bench/forge/judge.ts reads them.
set -euo pipefail
map=$1 seconds=$2 size=$3 rate=$4 out=$5 part=$6 fps=${FPS:-20} delay=${DELAY:-12}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
out=$(realpath "$out")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc -O2 -shared -fPIC -o "$work/steady.so" "$here/steady.c" -ldl
mkdir -p "$work/.nexuiz/data"
cat > "$work/.nexuiz/data/autoexec.cfg" <<EOF
exec effects-low.cfg
vid_fullscreen 0; vid_width ${size%x*}; vid_height ${size#*x}; vid_conwidth 800; vid_conheight 600; vid_vsync 0
cl_maxfps 0; _cl_name Watcher; sv_public 0; developer 0; con_notify 4; cl_casings 0; sv_casings 0
bot_prefix ""; skill ${SKILL:-5}; minplayers ${BOTS:-6}; bot_number ${BOTS:-6}; fraglimit 0; timelimit 20; sv_ready_restart 0; g_warmup 0
map $map
defer 4 "cmd spectate"
defer 6 "+attack"
defer 6.3 "-attack"
EOF
mkfifo "$work/frames.rgb"
ffmpeg -v error -f rawvideo -pix_fmt rgb24 -s "$size" -r "$fps" -i "$work/frames.rgb" -vf "vflip,trim=start=$delay,setpts=PTS-STARTPTS,scale=out_color_matrix=bt709,format=yuv420p" \
  -c:v libx264 -preset "${PRESET:-veryfast}" -crf 24 -maxrate "${rate}k" -bufsize "$((2 * rate))k" -g "$((2 * fps))" -color_range tv -colorspace bt709 \
  -color_primaries bt709 -color_trc bt709 -threads 2 -movflags +faststart -y "$out/$part.mp4" &
HOME=$work STEADY_FPS=$fps STEADY_SIZE=$size STEADY_FRAMES=$((fps * (seconds + delay))) STEADY_NOTES="$work/frames.txt" \
  STEADY_VIDEO="$work/frames.rgb" STEADY_WATCH="$work/events.log" SDL_AUDIODRIVER=dummy LP_NUM_THREADS=1 \
  xvfb-run -a -s "-screen 0 ${size}x24" timeout -k 3 "${LIMIT:-7200}" env LD_PRELOAD="$work/steady.so" /usr/games/darkplaces -nexuiz -basedir /usr/share/games/nexuiz \
  -nosound > "$work/events.log" 2>&1 || true
wait
printf '{"fps": %d, "delay": %d, "width": %d, "height": %d, "kbits": %d}\n' "$fps" "$delay" "${size%x*}" "${size#*x}" "$rate" > "$work/clip.json"
"${PYTHON:-/usr/bin/python3}" "$here/game_truth.py" nexuiz "$work" "$part" > "$out/$part.ndjson"
