# FooBillard++: eight-ball, both players by the computer.
$STEADY /usr/games/foobillardplus --geometry "$SIZE" --8ball --p1 ai --p2 ai --name1 Ada --name2 Bo --balldetail l --vsync off
