#!/usr/bin/env python3
"""Takes a lump (a demo, say) out of a WAD: doom_lump.py GAME.wad NAME OUT"""
import struct
import sys

data = open(sys.argv[1], "rb").read()
count, directory = struct.unpack_from("<ii", data, 4)
for i in range(count):
    at, size, name = struct.unpack_from("<ii8s", data, directory + 16 * i)
    if name.rstrip(b"\0").decode("latin-1") == sys.argv[2]:
        open(sys.argv[3], "wb").write(data[at : at + size])
        break
else:
    sys.exit(f"no lump {sys.argv[2]}")
