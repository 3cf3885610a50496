# Tux Football: a player against the computer, two halves of one minute.
/usr/games/tuxfootball
