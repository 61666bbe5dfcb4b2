#!/usr/bin/env python3
"""Writes digits.bin from scikit-learn's copy of the UCI digits; DATA.md describes the file.

Run once, on Debian 12 with python3-sklearn 1.2.1 installed:

    python3 plugins/digits/make_data.py /usr/lib/python3/dist-packages/sklearn/datasets/data/digits.csv.gz
"""

import gzip
import pathlib
import struct
import sys

PARTS = ("train", "validation", "test")


def part_of(index_in_class):
    """Of every ten figures of one digit: seven train, two validate, one tests."""
    place = index_in_class % 10
    return "train" if place < 7 else "validation" if place < 9 else "test"


def main(source):
    parts = {part: [] for part in PARTS}
    seen = [0] * 10
    with gzip.open(source, "rt") as lines:
        for line in lines:
            *pixels, label = (int(float(value)) for value in line.split(","))
            assert len(pixels) == 64 and all(0 <= pixel <= 16 for pixel in pixels)
            parts[part_of(seen[label])].append(bytes([*pixels, label]))
            seen[label] += 1

    target = pathlib.Path(__file__).with_name("digits.bin")
    sizes = [len(parts[part]) for part in PARTS]
    target.write_bytes(struct.pack("<8s3I", b"DIGITS01", *sizes) + b"".join(b"".join(parts[part]) for part in PARTS))
    print(f"{target.name}: {dict(zip(PARTS, sizes))}")


if __name__ == "__main__":
    main(sys.argv[1])
