"""Reading a run's checkpoints/last.ckpt (safetensors)."""
import json
import struct

FORMATS = {"F32": "f", "F64": "d", "I64": "q", "I32": "i", "U8": "B", "BOOL": "?"}


def read_checkpoint(path):
    """Its tensors, flat lists of numbers by name, and the run state."""
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + size])
    metadata = header.pop("__metadata__")
    tensors = {}
    for name, entry in header.items():
        letter = FORMATS.get(entry["dtype"])
        if letter is None:
            continue  # nothing a test compares
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        count = (end - begin) // struct.calcsize(f"<{letter}")
        tensors[name] = list(struct.unpack(f"<{count}{letter}", data[begin:end]))
    return tensors, json.loads(metadata["lightrun.run_state"])
