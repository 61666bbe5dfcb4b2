"""Reads the TensorBoard event files in a folder, without anything of ours: framing, checksums and messages from
the numbers in TensorFlow's sources. Prints JSON: a list of events, in the order of the files' names.

    read_events.py FOLDER

A file that ends in the middle of a record is read up to there, as TensorBoard does; "torn" says so. Anything else
that is wrong ends it with an error. Where google.protobuf is installed, its own decoding must say the same.
"""

import json
import math
import os
import struct
import sys


def crc_table():
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
        yield crc


TABLE = list(crc_table())


def masked_crc(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 255] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return (crc >> 15 | crc << 17) + 0xA282EAD8 & 0xFFFFFFFF


assert masked_crc(b"123456789") == ((0xE3069283 >> 15 | 0xE3069283 << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(data):
    """The records' bytes, then None if the last one is cut off."""
    while data:
        if len(data) < 12:
            yield None
            return
        length, crc = struct.unpack("<QI", data[:12])
        assert crc == masked_crc(data[:8]), "checksum of a length"
        if len(data) < 16 + length:
            yield None
            return
        record, (crc,) = data[12 : 12 + length], struct.unpack("<I", data[12 + length : 16 + length])
        assert crc == masked_crc(record), "checksum of an event"
        yield record
        data = data[16 + length :]


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """Number -> the values of that field, as bytes or as an int of its varint."""
    found, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        else:
            if kind == 2:
                size, at = varint(data, at)
            else:
                size = {1: 8, 5: 4}[kind]
            value, at = data[at : at + size], at + size
            assert len(value) == size, "a message that is cut off"
        found.setdefault(key >> 3, []).append(value)
    return found


def number(found, field, form="<d"):
    return struct.unpack(form, found[field][-1])[0] if field in found else 0.0


def doubles(found, field):
    data = b"".join(found.get(field, []))
    return list(struct.unpack(f"<{len(data) // 8}d", data))


def histogram_of(data):
    found = fields(data)
    names = ["min", "max", "num", "sum", "sum_squares"]
    histogram = {name: number(found, field) for field, name in enumerate(names, 1)}
    return histogram | {"limits": doubles(found, 6), "counts": doubles(found, 7)}


def text_of(value):
    metadata = fields(value[9][0])
    plugin = fields(metadata[1][0])
    assert plugin[1][0] == b"text" and metadata[4] == [2]
    tensor = fields(value[8][0])
    assert tensor[1] == [7] and fields(tensor[2][0]) == {}
    return tensor[8][0].decode()


def decoded(data):
    event = fields(data)
    result = {"wall_time": number(event, 1), "step": event.get(2, [0])[-1]}
    if 3 in event:
        result["version"] = event[3][0].decode()
    if 7 in event:
        result["session"] = fields(event[7][0])[1][0]
    if 10 in event:
        result["writer"] = fields(event[10][0])[1][0].decode()
    for value in map(fields, fields(event[5][0]).get(1, []) if 5 in event else []):
        tag = value[1][0].decode()
        if 2 in value:
            result.setdefault("scalars", {})[tag] = number(value, 2, "<f")
        elif 5 in value:
            result.setdefault("histograms", {})[tag] = histogram_of(value[5][0])
        elif 8 in value:
            result.setdefault("texts", {})[tag] = text_of(value)
    return result


def protobuf_reader():
    """The same by google.protobuf, from descriptors made here; None where it is not installed."""
    try:
        from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    except ImportError:
        return None
    kinds = {"double": 1, "float": 2, "int64": 3, "int32": 5, "string": 9, "bytes": 12}
    file = descriptor_pb2.FileDescriptorProto(name="events.proto", package="t", syntax="proto3")
    for name, members in {
        "Event": "double wall_time 1,int64 step 2,string file_version 3,Summary summary 5,Session session 7,"
        "Source source 10",
        "Source": "string writer 1",
        "Session": "int32 status 1",
        "Summary": "*Value value 1",
        "Value": "string tag 1,float simple_value 2,Histo histo 5,Tensor tensor 8,Metadata metadata 9",
        "Metadata": "Plugin plugin 1,int32 data_class 4",
        "Plugin": "string name 1",
        "Histo": "double min 1,double max 2,double num 3,double sum 4,double sum_squares 5,"
        "*double limits 6,*double counts 7",
        "Tensor": "int32 dtype 1,*bytes string_val 8",
    }.items():
        message = file.message_type.add(name=name)
        for member in members.split(","):
            kind, name, place = member.split()
            field = message.field.add(name=name, number=int(place), label=3 if kind[0] == "*" else 1)
            kind = kind.lstrip("*")
            if kind in kinds:
                field.type = kinds[kind]
            else:
                field.type, field.type_name = 11, ".t." + kind
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    descriptor = pool.FindMessageTypeByName("t.Event")
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(descriptor)
    return message_factory.MessageFactory(pool).GetPrototype(descriptor)


def by_protobuf(reader, data):
    event = reader.FromString(data)
    result = {"wall_time": event.wall_time, "step": event.step}
    if event.file_version:
        result["version"] = event.file_version
    if event.HasField("session"):
        result["session"] = event.session.status
    if event.HasField("source"):
        result["writer"] = event.source.writer
    for value in event.summary.value:
        if value.HasField("histo"):
            names = ["min", "max", "num", "sum", "sum_squares"]
            histogram = {name: getattr(value.histo, name) for name in names}
            histogram |= {"limits": list(value.histo.limits), "counts": list(value.histo.counts)}
            result.setdefault("histograms", {})[value.tag] = histogram
        elif value.HasField("tensor"):
            result.setdefault("texts", {})[value.tag] = value.tensor.string_val[0].decode()
        else:
            result.setdefault("scalars", {})[value.tag] = value.simple_value
    return result


def plain(value):
    """With words for what JSON has no numbers for."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def main(folder):
    reader = protobuf_reader()
    events = []
    for name in sorted(os.listdir(folder)):
        if "tfevents" not in name:
            continue
        with open(os.path.join(folder, name), "rb") as file:
            for record in records(file.read()):
                if record is None:
                    events.append({"file": name, "torn": True})
                    continue
                event = plain(decoded(record))
                assert reader is None or plain(by_protobuf(reader, record)) == event, "protobuf reads another event"
                events.append({"file": name, "protobuf": reader is not None} | event)
    json.dump(events, sys.stdout)


main(sys.argv[1])
