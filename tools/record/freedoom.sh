#!/usr/bin/env bash
# Records a Freedoom demo with its truth.
#   [PWAD=LEVELS.wad] [FPS=35] [CRF=24] [PRESET=fast] [ENCODE=OPTIONS] [KEYS=FILE] [CONFIG=LINES] [TRUTH=FILE] freedoom.sh IWAD DEMO.lmp WIDTHxHEIGHT MAXRATE_KBITS OUTPUT_FOLDER
# FPS: the engine's frames are repeated or left out. KEYS: lines "SECONDS KEY…" for press_keys.py, which opens menus and the map.
# ENCODE: FFmpeg's options for the video in place of those of x264 ("-c:v libx265 -crf 28").
# CONFIG: settings of the game, such as "render_stretch_hud 0". TRUTH: the truth of another rendering of the same demo, for settings
# under which the game's graphics are not where their reader looks for them; "none" for none.
# Needs Debian's dsda-doom, freedoom, xvfb, ffmpeg, python3-numpy. The game is played off-line: a frame a game tic (35 a
# second), however slow the machine. Each frame goes, untouched, to the reader of the truth and to the encoder.
# OUTPUT_FOLDER gets video.mp4 and truth.json; frame i of both is the same.
set -euo pipefail
iwad=$(realpath "$1") demo=$(realpath "$2") pwad=${PWAD:+$(realpath "$PWAD")} size=$3 rate=$4 out=$5
TRUTH=${TRUTH:+$([ "$TRUTH" = none ] && echo none || realpath "$TRUTH")}
fps=${FPS:-35} keys=${KEYS:+$(realpath "$KEYS")}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
out=$(realpath "$out")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
encode="${ENCODE:--c:v libx264 -preset ${PRESET:-fast} -crf ${CRF:-24} -maxrate ${rate}k -bufsize $((2 * rate))k} -g $((2 * fps)) -pix_fmt yuv420p -threads 2"
cat > "$work/video.sh" <<SH
#!/usr/bin/env bash
if [ -n "$keys" ]; then "${PYTHON:-/usr/bin/python3}" "$here/press_keys.py" $size 35 "$keys"; else cat; fi |
  if [ $fps = 35 ]; then cat; else ffmpeg -v error -f rawvideo -pix_fmt rgb24 -r 35 -s $size -i - -vf fps=$fps -f rawvideo -pix_fmt rgb24 -; fi |
  if [ -n "${TRUTH:-}" ]; then cat; else tee >("${PYTHON:-/usr/bin/python3}" "$here/doom_truth.py" $size "$iwad" "$work/truth.json" $fps && touch "$work/truth.done"); fi |
  ffmpeg -v error -f rawvideo -pix_fmt rgb24 -r $fps -s $size -i - $encode -y "\$1"
SH
chmod +x "$work/video.sh"
cat > "$work/dsda.cfg" <<CFG
show_messages 1
render_wipescreen 1
cap_wipescreen 1
cap_fps 35
uncapped_framerate 0
videomode "Software"
dsda_wipe_at_full_speed 0
hudadd_demoprogressbar 0
${CONFIG:-}
cap_soundcommand "ffmpeg -v error -f s16le -ar %s -ac 2 -i - -c:a aac -b:a 96k -y temp_a.nut"
cap_videocommand "./video.sh temp_v.nut"
cap_muxcommand "ffmpeg -v error -i temp_v.nut -i temp_a.nut -c copy -movflags +faststart -y %f"
CFG
cd "$work"
# -timedemo, not -playdemo: it makes -viddump write every tic.
SDL_AUDIODRIVER=dummy xvfb-run -a -s "-screen 0 ${size}x24" /usr/games/dsda-doom -iwad "$iwad" ${pwad:+-file "$pwad"} -config "$work/dsda.cfg" \
  -timedemo "$demo" -geometry "$size" -window -viddump video.mp4 > dsda.log 2>&1 || true
case ${TRUTH:-} in
  '') ;;
  none) touch "$work/truth.done" && echo '{}' > "$work/truth.json" ;;
  *) cp "$TRUTH" "$work/truth.json" && touch "$work/truth.done" ;;
esac
for _ in $(seq 300); do [ -e truth.done ] && break; sleep 0.2; done
[ -s video.mp4 ] && [ -s truth.json ] || { tail dsda.log >&2; exit 1; }
mv video.mp4 truth.json "$out"
