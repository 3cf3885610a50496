# Trackballs: the first course.
$STEADY /usr/games/trackballs -w -m -r "${SIZE%x*}"
