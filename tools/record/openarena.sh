#!/usr/bin/env bash
# Records an OpenArena match of bots with its truth, in two steps:
#   openarena.sh record NAME MAP FOLLOWED SECONDS BOT…     a dedicated server, and a spectator who records a demo (real time)
#   openarena.sh render NAME WIDTH HEIGHT MAXRATE_KBITS OUTPUT_FOLDER    the demo, played off-line frame by frame (slow)
#   openarena.sh finish …    as render, from the pictures of an earlier one
# For record: TYPE=0 is the kind of game (0 everyone against everyone, 3 teams, 4 flags), LIMIT the frags (or flags) and TIMELIMIT the minutes
# that end it, SKILL=4 how good the bots are, FOLLOWED - plays itself, PLAY=FILE is a shell script whose output are console commands given from when the recording begins, WARMUP=50 lets it begin with a countdown that ends after about half a minute of the recording, SERVER="+set …" more of the kind,
# DELAY=40 seconds until the recording begins, SERVERPLAY=FILE a shell script whose output are the server's console commands, GUEST=FILE the same for a second client, who plays (GUESTNAME). A bot may have another name: grunt=^1R^3ed.
# For render: HUD="+set cg_… …" settings of the HUD, FPS=30, CRF=24, PRESET=veryfast, COMMANDS=FILE of console commands given when the demo begins ("wait 100" waits so many frames).
# Needs Debian's openarena, openarena-server, xvfb, libgl1-mesa-dri, ffmpeg, python3-numpy. Works in ./NAME.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
step=$1 name=$2
home=$PWD/$name
shift 2

# A second client, who plays and gives the console commands that GUEST prints.
guest() {
  { sleep 16; echo "team free"; bash "$GUEST" & sleep "$2"; echo quit; } |
    SDL_AUDIODRIVER=dummy nice xvfb-run -a -s "-screen 0 320x240x24" /usr/games/openarena +set fs_homepath "$home/guest" \
      +set cl_renderer opengl1 +set r_mode -1 +set r_customwidth 320 +set r_customheight 240 +set r_fullscreen 0 +set r_picmip 5 \
      +set com_maxfps 5 +set s_initsound 0 +set name "${GUESTNAME:-Guest}" +set cl_allowDownload 0 +set ttycon 0 +connect "127.0.0.1:$1" > "$home/guest.log" 2>&1 || true
}

record() {
  local map=$1 follow=$2 seconds=$3 port=$((28000 + RANDOM % 900))
  shift 3
  mkdir -p "$home/server/baseoa" "$home/client/baseoa"
  local team=free
  for bot in "$@"; do
    [ "${TYPE:-0}" -ge 3 ] && { [ "$team" = red ] && team=blue || team=red; }
    echo "addbot ${bot%%=*} ${SKILL:-4} $team 0 \"$([[ $bot = *=* ]] && echo "${bot#*=}")\""
  done > "$home/server/baseoa/bots.cfg"
  { [ -z "${SERVERPLAY:-}" ] || { sleep $((27 + ${DELAY:-0})); bash "$SERVERPLAY"; } & sleep $((seconds + ${DELAY:-0} + 40)); echo quit; } | nice /usr/games/openarena-server +set fs_homepath "$home/server" +set dedicated 1 \
    +set net_ip 127.0.0.1 +set net_port "$port" +set sv_maxclients 10 +set g_gametype "${TYPE:-0}" +set fraglimit "${LIMIT:-0}" +set capturelimit "${LIMIT:-0}" \
    +set timelimit "${TIMELIMIT:-0}" +set g_doWarmup "$((${WARMUP:-0} > 0))" +set g_warmup "${WARMUP:-0}" ${SERVER:-} +set g_log games.log +set g_logsync 1 +set bot_enable 1 +map "$map" +exec bots.cfg > "$home/server.log" 2>&1 &
  sleep 8
  [ -z "${GUEST:-}" ] || guest "$port" $((seconds + ${DELAY:-0} + 22)) &
  { sleep 14; if [ "$follow" = - ]; then echo "team free"; else echo "team spectator"; sleep 2; echo "follow $follow"; fi
    sleep $((3 + ${DELAY:-0})); echo "record $name"; [ -z "${PLAY:-}" ] || bash "$PLAY" & sleep "$seconds"; echo stoprecord; sleep 2; echo quit; } |
    SDL_AUDIODRIVER=dummy nice xvfb-run -a -s "-screen 0 320x240x24" /usr/games/openarena +set fs_homepath "$home/client" \
      +set cl_renderer opengl1 +set r_mode -1 +set r_customwidth 320 +set r_customheight 240 +set r_fullscreen 0 +set r_picmip 5 \
      +set com_maxfps "${RATE:-20}" +set s_initsound 0 +set name Watcher +set cl_allowDownload 0 +set ttycon 0 +connect "127.0.0.1:$port" > "$home/client.log" 2>&1 || true
  wait
  ls -l "$home"/client/baseoa/demos/*.dm_71 "$home/server/baseoa/games.log"
}

render() {
  local width=$1 height=$2 out=$4
  mkdir -p "$out"
  # The engine takes 32 commands from its command line at most.
  sed 's/+set /\nset /g' <<< "+set cg_lagometer 0 ${HUD:-}" > "$home/client/baseoa/autoexec.cfg"
  [ -z "${COMMANDS:-}" ] || cp "$COMMANDS" "$home/client/baseoa/commands.cfg"
  SDL_AUDIODRIVER=dummy nice xvfb-run -a -s "-screen 0 ${width}x${height}x24" /usr/games/openarena +set fs_homepath "$home/client" \
    +set cl_renderer opengl1 +set r_mode -1 +set r_customwidth "$width" +set r_customheight "$height" +set r_fullscreen 0 +set r_picmip 0 \
    +set s_initsound 1 +set s_useOpenAL 0 +set ttycon 0 +set name Watcher +set cl_aviFrameRate "${FPS:-30}" +set cl_aviMotionJpeg 1 \
    +set r_aviMotionJpegQuality "${QUALITY:-90}" +set nextdemo quit +demo "$name" +video "$name" ${COMMANDS:++exec commands.cfg} < /dev/null > "$home/render.log" 2>&1 || true
  finish "$@"
}

finish() {
  local rate=$3 out=$4 avi="$home/client/baseoa/videos/$name.avi"
  nice "${PYTHON:-/usr/bin/python3}" "$here/oa_truth.py" "$home/client/baseoa/demos/$name.dm_71" "$home/server/baseoa/games.log" "$home/render.log" "$avi" "$out/truth.json" --fps "${FPS:-30}"
  nice ffmpeg -v error -y -i "$avi" -vf "scale=in_range=full:out_range=tv:out_color_matrix=bt709,format=yuv420p" -c:v libx264 -preset "${PRESET:-veryfast}" -crf "${CRF:-24}" \
    -maxrate "${rate}k" -bufsize "$((2 * rate))k" -g "$((2 * ${FPS:-30}))" -color_range tv -colorspace bt709 -color_primaries bt709 -color_trc bt709 -threads 2 \
    -c:a aac -b:a 96k -movflags +faststart "$out/video.mp4"
  cp "$home/server/baseoa/games.log" "$out"
  [ -n "${KEEP:-}" ] || rm "$avi"
}

"$step" "$@"
