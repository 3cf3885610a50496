#!/usr/bin/env bash
# Records a game that a list of keys plays, off-line and by its own clock (steady.c).
#   played.sh GAME SEED SECONDS WIDTHxHEIGHT MAXRATE_KBITS OUTPUT_FOLDER PART
# GAME is a folder of tools/record/played with play.txt (play_keys.py) and start.sh, which prepares HOME and runs the game.
# FPS=20, DELAY=12 seconds until the recording begins, LIMIT ends the game after so many seconds of the machine's time: the recording
# is then shorter. Games without OpenGL and those with a server run by the machine's clock and are recorded from the screen. KEEP_LOG=file
# keeps what the game printed. Needs Debian's package of the game, xvfb, xdotool, libgl1-mesa-dri, gcc, ffmpeg, python3. PART is learn
# or judge.
set -euo pipefail
game=$1 seed=$2 seconds=$3 size=$4 rate=$5 out=$6 part=$7 fps=${FPS:-20} delay=${DELAY:-12}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
out=$(realpath "$out")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
encode=(-c:v libx264 -preset "${PRESET:-veryfast}" -crf 22 -maxrate "${rate}k" -bufsize "$((2 * rate))k" -g "$((2 * fps))" -color_range tv
  -colorspace bt709 -color_primaries bt709 -color_trc bt709 -threads 2 -movflags +faststart -y "$out/$part.mp4")
scale="scale=out_color_matrix=bt709,format=yuv420p"
mkdir "$work/home"
export HOME=$work/home GAME_WORK=$work SIZE=$size SEED=$seed STEADY='' LP_NUM_THREADS=1 LIBGL_ALWAYS_SOFTWARE=1 SDL_AUDIODRIVER=dummy \
  ALSOFT_DRIVERS=null LANG=C.UTF-8
clock=-
if grep -q '\$STEADY' "$here/played/$game/start.sh"; then
  clock=$work/frames.txt
  cc -O2 -shared -fPIC -o "$work/steady.so" "$here/steady.c" -ldl
  mkfifo "$work/frames.rgb"
  ffmpeg -v error -f rawvideo -pix_fmt rgb24 -s "$size" -r "$fps" -i "$work/frames.rgb" \
    -vf "vflip,trim=start=$delay,setpts=PTS-STARTPTS,$scale" "${encode[@]}" &
  encoder=$!
  # The game alone is loaded with steady.so, not the shell that starts it.
  export STEADY="env LD_PRELOAD=$work/steady.so" STEADY_FPS=$fps STEADY_SIZE=$size STEADY_FRAMES=$((fps * (seconds + delay))) \
    STEADY_NOTES="$work/frames.txt" STEADY_VIDEO="$work/frames.rgb"
else
  cat > "$work/grab.sh" << END
sleep $delay
ffmpeg -v error -f x11grab -draw_mouse 0 -framerate $fps -video_size $size -i "\$DISPLAY" -t $seconds -vf "$scale" ${encode[*]} < /dev/null
touch "$work/recorded"
END
  LIMIT=$((seconds + delay + 10))
fi
cat > "$work/run.sh" << END
python3 "$here/play_keys.py" "$clock" "$fps" "$seed" "$here/played/$game/play.txt" &
player=\$!
[ ! -e "$work/grab.sh" ] || bash "$work/grab.sh" &
timeout -k 3 "${LIMIT:-3600}" bash "$here/played/$game/start.sh"
kill \$player
END
# Two recordings that begin at once would choose the same free display.
xvfb-run --auto-servernum --server-num=$((100 + $$ % 30000)) -s "-screen 0 ${size}x24" bash "$work/run.sh" > "$work/game.txt" 2>&1 || true
[ -z "${encoder:-}" ] || wait "$encoder"
[ -z "${KEEP_LOG:-}" ] || cat "$work"/*.log "$work/game.txt" > "$KEEP_LOG" 2> /dev/null || true
