# Red Eclipse: a team match against robots on a small map.
$STEADY /usr/games/redeclipse -h"$HOME/game" -df0 -dw"${SIZE%x*}" -dh"${SIZE#*x}" -x'name Ada; playerloadweap "3 5"; sv_botbalance 6; start bath $modeidxdeathmatch 0; sleep 3000 [cleargui]'
