# X-Moto: its first level. The list of levels is made before, since the game shows how far it is.
/usr/games/xmoto --listlevels
$STEADY /usr/games/xmoto --resolution "$SIZE" --windowed --nosound --nowww --level tut1
