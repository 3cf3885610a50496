#!/usr/bin/env bash
# Records a Freedoom demo as Chocolate Doom, Crispy Doom or Woof plays it, with its truth.
#   [PWAD=LEVELS.wad] [FPS=35] [CRF=24] [PRESET=fast] [ENCODE=OPTIONS] [KEYS=FILE] [CONFIG=LINES] [OWN=LINES] [TRUTH=FILE] [FRAMES=N] doom_ports.sh PORT IWAD DEMO.lmp|"-warp 1 1" WIDTHxHEIGHT OUTPUT_FOLDER
# PORT: chocolate-doom, crispy-doom or woof. CONFIG: settings that all have ("screenblocks 10"), OWN: the port's own ("crispy_coloredhud 3").
# ENCODE: FFmpeg's options for the video in place of those of x264 ("-c:v libx265 -crf 28").
# KEYS: a list for port_keys.py: lines "SECONDS KEY…", by which a game that is no demo is played; FRAMES ends it. TRUTH: of another rendering of the same demo, where the figures are recoloured.
# The game is played off-line by sdl_doom.c, a picture a tic; truth is read from the game's own screen before it is enlarged.
# Needs Debian's chocolate-doom, crispy-doom, woof-doom, freedoom, ffmpeg, gcc, python3-numpy. No sound. OUTPUT_FOLDER gets video.mp4 and truth.json.
set -euo pipefail
port=$1 iwad=$(realpath "$2") demo=$3 size=$4 out=$5
keys=${KEYS:+$(realpath "$KEYS")} pwad=${PWAD:+$(realpath "$PWAD")} truth=${TRUTH:+$(realpath "$TRUTH")}
here=$(cd "$(dirname "$0")" && pwd)
fps=${FPS:-35}
mkdir -p "$out"
out=$(realpath "$out")
work=$(mktemp -d)
trap 'kill $(jobs -p) 2> /dev/null || true; rm -rf "$work"' EXIT
cc -O2 -shared -fPIC -o "$work/sdl_doom.so" "$here/sdl_doom.c" -ldl
[[ $demo == -* ]] || cp "$demo" "$work/demo.lmp"
cd "$work"
mkfifo video screen
[ -z "$keys" ] || "${PYTHON:-/usr/bin/python3}" "$here/port_keys.py" "$keys" > keys.txt
case $demo in -*) play=$demo ;; *) play="-playdemo demo.lmp" ;; esac
# Chocolate Doom's picture is as wide as 4:3 at most, in the middle of the window.
width=${size%x*} height=${size#*x} left=0
[ "$port" != chocolate-doom ] || left=$(((width - height * 4 / 3) / 2))
[ "$left" -gt 0 ] && [[ ${OWN:-} != *"aspect_ratio_correct 0"* ]] || left=0
printf '%s\n' "show_messages 1" "screenblocks 10" "${CONFIG:-}" > default.cfg
printf '%s\n' "show_endoom 0" "startup_delay 0" "force_software_renderer 1" "show_diskicon 0" "crispy_uncapped 0" "${OWN:-}" > own.cfg
if [ "$port" = woof ]; then
  printf '%s\n' "show_endoom 0" "uncapped 0" "use_vsync 0" "fullscreen 0" "window_width $width" "window_height $height" "${OWN:-}" >> default.cfg
  configs="-config default.cfg -nomusic"
else
  configs="-config default.cfg -extraconfig own.cfg -geometry $size -window"
fi
# shellcheck disable=SC2086
ffmpeg -v error -f rawvideo -pix_fmt rgb24 -r "$fps" -s "$size" -i video ${ENCODE:--c:v libx264 -preset ${PRESET:-fast} -crf ${CRF:-24}} \
  -g $((2 * fps)) -pix_fmt yuv420p -threads 2 -movflags +faststart -y video.mp4 &
encoder=$!
if [ -n "$truth" ]; then cat screen > /dev/null; else "${PYTHON:-/usr/bin/python3}" "$here/doom_truth.py" screen "$iwad" truth.json "$fps" < screen; fi &
reader=$!
# shellcheck disable=SC2086
HOME=$work SDL_RENDER_DRIVER=software SDL_VIDEODRIVER=dummy SDL_AUDIODRIVER=dummy SDL_DOOM_SIZE=$size SDL_DOOM_VIDEO=video SDL_DOOM_SCREEN=screen SDL_DOOM_FPS=$fps SDL_DOOM_LEFT=$left SDL_DOOM_KEYS=${keys:+keys.txt} \
  SDL_DOOM_FRAMES=${FRAMES:-100000} LD_PRELOAD=./sdl_doom.so timeout "${LIMIT:-900}" "/usr/games/$port" -iwad "$iwad" ${pwad:+-file "$pwad"} \
  $configs $play -nosound > port.log 2>&1 || { tail -3 port.log >&2; [ -s video.mp4 ] || exit 1; }
wait $encoder $reader
[ -n "$truth" ] && cp "$truth" truth.json
mv video.mp4 truth.json "$out"
