# Extreme Tux Racer: practice on the first course.
$STEADY /usr/games/etr
