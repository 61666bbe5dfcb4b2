"""Reading `.npy` files (little-endian, C order) without numpy."""
import ast
import struct

FORMATS = {"<f4": "f", "<f8": "d", "<i8": "q", "<i4": "i", "|u1": "B", "|b1": "?"}


def read_npy(path):
    """All numbers of the array, in one list."""
    data = path.read_bytes()
    length_format = "<H" if data[6] == 1 else "<I"
    begin = 8 + struct.calcsize(length_format)
    length = struct.unpack_from(length_format, data, 8)[0]
    header = ast.literal_eval(data[begin : begin + length].decode("latin1").strip())
    count = 1
    for size in header["shape"]:
        count *= size
    return list(struct.unpack_from(f"<{count}{FORMATS[header['descr']]}", data, begin + length))
