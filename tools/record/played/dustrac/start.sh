# Dust Racing 2D: a race of five laps against eleven cars, seen from above.
$STEADY /usr/games/dustrac-game --no-vsync
