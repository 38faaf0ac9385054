"""usage: embed.py VERSION TARGET BITCODE...: writes a file that holds snapshots, as the pass embeds them.

abi.h, SnapshotHeader.
"""

import struct
import sys

MAGIC = b"\x7fScope" + b"San\rSNAP\n\x1a"


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & (1 << 64) - 1
    return value


def main(version, target, *inputs):
    with open(target, "wb") as out:
        for path in inputs:
            with open(path, "rb") as source:
                code = source.read()
            out.write(b"padding" + MAGIC)
            out.write(struct.pack("<IIQQ", int(version), 0, len(code), fnv1a(code)) + code)


main(*sys.argv[1:])
