"""usage: extract_snapshot.py VERSION FILE: writes the bitcode of the file's first snapshot to standard output.

Its header must be that of abi::Version.
"""
import struct
import sys

MAGIC = b"\x7fScope" + b"San\rSNAP\n\x1a"


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def main(wanted, path):
    with open(path, "rb") as file:
        data = file.read()
    at = data.find(MAGIC)
    if at < 0:
        sys.exit(f"{path}: no snapshot")
    version, reserved, size, value = struct.unpack_from("<IIQQ", data, at + 16)
    bitcode = data[at + 40 : at + 40 + size]
    if (version, reserved) != (int(wanted), 0) or len(bitcode) != size or fnv1a(bitcode) != value:
        sys.exit(f"{path}: damaged snapshot")
    sys.stdout.buffer.write(bitcode)


main(*sys.argv[1:])
