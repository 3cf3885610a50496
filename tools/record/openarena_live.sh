#!/usr/bin/env bash
# Records a game of OpenArena as it is played: client and server in one program, off-line, a picture every 1/FPS (15) of a second of
# its clock (steady.c). Unlike a rendered demo it has menus, console, warm-up, votes, team overlay: all that a player sees.
#   openarena_live.sh NAME MAP WIDTHxHEIGHT SECONDS OUTPUT_FOLDER BOT…
# TYPE, SKILL, LIMIT, TIMELIMIT, SERVER, HUD as in openarena.sh; FOLLOWED=- plays itself, as SELF (Watcher). PLAY=FILE: lines
# "SECONDS console command" by the recording's time, which begins DELAY (14) seconds after the game; BEFORE=FILE: the same by the game's.
# ENCODE="-c:v libx265 …", FILTER="fps=…": how the video is encoded at last. A bot may have another name and team: grunt=^1R^3ed, grunt@red=Zed.
# Needs Debian's openarena, openarena-server, xvfb, libgl1-mesa-dri, gcc, ffmpeg, python3-numpy. Works in ./NAME.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
name=$1 map=$2 size=$3 seconds=$4 out=$5 fps=${FPS:-15}
shift 5
home=$PWD/$name game=$PWD/$name/baseoa
rm -rf "$home"
mkdir -p "$game" "$out"
cc -O2 -shared -fPIC -o "$home/steady.so" "$here/steady.c" -ldl
start=${DELAY:-14} plays= bar=
[ "${FOLLOWED:--}" = - ] && plays=yes
[[ ${HUD:-} = *"cg_alwaysWeaponBar 1"* ]] && bar=yes
{
  [ -z "${BEFORE:-}" ] || cat "$BEFORE"
  team=free
  for bot in "$@"; do
    [ "${TYPE:-0}" -ge 3 ] && { [ "$team" = red ] && team=blue || team=red; }
    kind=${bot%%=*} called=
    [[ $bot = *=* ]] && called=${bot#*=}
    [[ $kind = *@* ]] && team=${kind#*@} kind=${kind%@*}
    echo "2 addbot $kind ${SKILL:-4} $team 0 \"$called\""
  done
  if [ "${FOLLOWED:--}" = - ]; then echo "3 team ${JOIN:-free}"; else echo "3 team spectator"; echo "$((start - 2)) follow ${FOLLOWED}"; fi
  echo "$start record $name"
  [ -z "${PLAY:-}" ] || awk -v s="$start" '{ $1 += s; print }' "$PLAY"
  echo "$((start + seconds)) stoprecord"
  echo "$((start + seconds + 1)) quit"
} | sort -sn > "$home/script.txt"
{
  for set in "cl_renderer opengl1" "r_mode -1" "r_customwidth ${size%x*}" "r_customheight ${size#*x}" "r_fullscreen 0" "r_picmip 0" "com_maxfps 0" \
    "s_initsound 0" "cl_allowDownload 0" "cg_lagometer 0" "g_log games.log" "g_logsync 1" "bot_enable 1" "g_gametype ${TYPE:-0}" "fraglimit ${LIMIT:-0}" \
    "capturelimit ${LIMIT:-0}" "timelimit ${TIMELIMIT:-0}" "g_doWarmup $((${WARMUP:-0} > 0))" "g_warmup ${WARMUP:-0}" "sv_maxclients 12"; do
    echo "set $set"
  done
  sed 's/+set /\nset /g' <<< "${HUD:-} ${SERVER:-}"
} > "$game/autoexec.cfg"
mkfifo "$home/frames.rgb"
ffmpeg -v error -f rawvideo -pix_fmt rgb24 -s "$size" -r "$fps" -i "$home/frames.rgb" -vf vflip -c:v libx264rgb -preset ultrafast -qp 0 -threads 1 -y "$home/whole.mkv" &
encoder=$!
"${PYTHON:-/usr/bin/python3}" "$here/console_script.py" "$home/frames.txt" "$game/console" "$fps" "$home/script.txt" &
SDL_AUDIODRIVER=dummy STEADY_FPS=$fps STEADY_SIZE=$size STEADY_NOTES="$home/frames.txt" STEADY_VIDEO="$home/frames.rgb" STEADY_POLL=20 \
  STEADY_FRAMES=$((fps * (start + seconds + 6))) STEADY_WATCH="$game/demos/$name.dm_71" STEADY_KEEP="$game/demos/$name.dm_71" xvfb-run -a -s "-screen 0 ${size}x24" env LD_PRELOAD="$home/steady.so" OPENARENA_DEBUGGER= \
  /usr/games/openarena +set fs_homepath "$home" +set ttycon 0 +set com_pipefile console +set r_customwidth "${size%x*}" +set r_customheight "${size#*x}" \
  +set r_mode -1 +set r_fullscreen 0 +set cl_renderer opengl1 +set name "${SELF:-Watcher}" +map "$map" > "$home/render.log" 2>&1 || true
wait "$encoder"
# The first picture after the demo's beginning was written.
first=$(awk '$2 > 0 { print $1; exit }' "$home/frames.txt")
ffmpeg -v error -y -i "$home/whole.mkv" -vf "trim=start_frame=$first:end_frame=$((first + fps * seconds)),setpts=PTS-STARTPTS${PICTURE:-},scale=out_color_matrix=bt709:out_range=tv,format=yuv420p" \
  -c:v libx264 -preset ultrafast -qp 4 -g "$fps" -color_range tv -colorspace bt709 -color_primaries bt709 -color_trc bt709 -threads 2 "$home/cut.mp4"
"${PYTHON:-/usr/bin/python3}" "$here/oa_truth.py" "$game/demos/$name.dm_71" "$game/games.log" "$home/render.log" "$home/cut.mp4" "$out/truth.json" --fps "$fps" --growth "$home/frames.txt" ${plays:+--plays} ${bar:+--bar}
# shellcheck disable=SC2086
ffmpeg -v error -y -i "$home/cut.mp4" ${FILTER:+-vf "$FILTER"} ${ENCODE:--c:v libx264 -preset veryfast -crf 24 -g $((2 * fps))} \
  -color_range tv -colorspace bt709 -color_primaries bt709 -color_trc bt709 -threads 2 -movflags +faststart "$out/video.mp4"
cp "$game/games.log" "$out"
[ -n "${KEEP:-}" ] || rm -f "$home/whole.mkv" "$home/cut.mp4"
