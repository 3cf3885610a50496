#!/usr/bin/env bash
# Records twenty minutes of games without a repeated or missing picture, for freezes.ts: each picture is drawn by the game's own
# clock. Needs what tools/record/README.md lists. A recording that exists is kept.
#   bench/quality/record.sh FOLDER
#   node bench/quality/freezes.ts FOLDER/encoded FOLDER/*/video.mp4
set -euo pipefail
here=$(cd "$(dirname "$0")/../../tools/record" && pwd)
mkdir -p "$1/demos"
cd "$1"
doom=/usr/share/games/doom

# Seconds, players and so on of a demo are the arguments of the script that writes it.
freedoom() {
  local name=$1 wad=$2 size=$3 fps=$4 demo=demos/$1.lmp
  shift 4
  [ -s "$name/video.mp4" ] && return
  case $1 in
    DEMO*) "$here/doom_lump.py" "$doom/$wad" "$1" "$demo" ;;
    *) "/usr/bin/python3" "$here/$1_demo.py" "$demo" "${@:2}" ;;
  esac
  PRESET=veryfast FPS=$fps TRUTH=none "$here/freedoom.sh" "$doom/$wad" "$demo" "$size" 4000 "$name"
}

openarena() {
  local name=$1 map=$2 fps=$3 follow=$4
  shift 4
  [ -s "$name/video.mp4" ] && return
  "$here/openarena.sh" record "$name.match" "$map" "$follow" 60 "$@"
  FPS=$fps "$here/openarena.sh" render "$name.match" 1280 720 4000 "$name"
  rm -rf "$name.match"
}

freedoom solo1 freedoom1.wad 960x720 60 solo 60 1 1 101
freedoom solo2 freedoom1.wad 960x720 35 solo 60 1 5 102
freedoom solo3 freedoom1.wad 960x720 30 solo 60 2 3 103
freedoom solo4 freedoom1.wad 960x720 60 solo 60 2 6 104
freedoom solo5 freedoom1.wad 960x720 35 solo 60 3 2 105
freedoom solo6 freedoom1.wad 960x720 30 solo 60 4 1 106
freedoom solo7 freedoom1.wad 960x720 60 solo 60 4 4 107
freedoom solo8 freedoom1.wad 960x720 30 solo 60 1 7 108
freedoom solo9 freedoom1.wad 960x720 35 solo 60 2 1 109
freedoom deathmatch1 freedoom2.wad 1280x720 60 deathmatch 60 4 3 201
freedoom deathmatch2 freedoom2.wad 1280x720 30 deathmatch 60 3 7 202
freedoom deathmatch3 freedoom2.wad 1280x720 35 deathmatch 60 4 1 203
freedoom demo1 freedoom2.wad 1280x720 35 DEMO1
freedoom demo2 freedoom2.wad 1280x720 60 DEMO2
freedoom demo3 freedoom1.wad 1280x720 30 DEMO2
openarena match1 oa_dm1 60 Grism grism sarge kyonshi major
openarena match2 oa_dm4 30 Neko neko gargoyle tony penguin
openarena match3 am_lavaarena 30 Sergei sergei angelyss ayumi
openarena match4 oa_dm6 60 Sorceress sorceress grunt skelebot
openarena match5 oa_dm2 30 Tony tony major grunt sarge
