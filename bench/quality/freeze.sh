#!/bin/sh
# The stream and the play on one time line, on a real match with freezes at known times (needs ffmpeg):
#   sh bench/quality/freeze.sh <OpenArena clip "oa1_aggressor"> [folder]
# 38 s from 1:26 on, in which the picture stands still for 6, 30 and 18 frames of 30 a second (7.300, 13.967 and 27.967 s)
# and 15 frames are missing (33.300 s). The player dies at 8.23, 29.10 and 36.80 s: once shortly after a freeze of 233 ms,
# once after one of 633 ms, once 3 s after the gap.
set -e
clip=$1
folder=${2:-$(mktemp -d)}
run="node $(dirname "$0")/../../src/cli/launch.js"
[ -f "$folder/match.mp4" ] || ffmpeg -v error -y -ss 86 -t 38 -i "$clip" \
  -vf "select='not(between(n,220,225)+between(n,420,449)+between(n,840,857))',fps=30,select='not(between(n,1000,1014))'" \
  -fps_mode passthrough -c:v libx264 -preset veryfast -crf 24 -maxrate 1400k -bufsize 2800k -g 60 -c:a copy "$folder/match.mp4"
[ -d "$folder/match.playbyplay" ] || $run detect "$folder/match.mp4" --game openarena >/dev/null
log=$folder/match.playbyplay/events.stream.ndjson
$run quality "$folder/match.mp4" --events "$folder/match.playbyplay" --report "$folder/page.html"
ask() {
  echo
  echo "$1"
  $run query "$1" "$log" || true
}
ask "stream freezes"
ask "player dies"
ask "player dies within 2 s after stream freezes for at least 400 ms"
ask "player dies within 2 s after stream freezes"
for how in keep down skip; do
  echo
  echo "highlights --bad-stream $how"
  $run highlights "$log" --media "$folder/match.mp4" --duration all --bad-stream $how -o "$folder/list.json" | grep -v list.json
done
