# BZFlag: a match against seven robots on a server of this machine.
/usr/games/bzfs -p "${PORT:-5254}" -j +r -ms 3 -ddd > "$GAME_WORK/server.log" 2>&1 &
server=$!
sleep 1
/usr/games/bzflag -solo 7 -window "$SIZE+0+0" "Wolfram@127.0.0.1:${PORT:-5254}"
kill $server
