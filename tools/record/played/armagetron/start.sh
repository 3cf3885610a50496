# Armagetron Advanced: a local game against a team of the computer.
mkdir "$HOME/var"
/usr/games/armagetronad -w --vardir "$HOME/var"
