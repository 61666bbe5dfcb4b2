#!/usr/bin/env python3
"""Writes iris_net.pt, a TorchScript module that is not trained, and prints its weights after a training in Python.

    python3 configs/data/make_iris_net.py > tests/models/data/iris_net_trained.json

The training: 5 epochs over iris.csv in the file's order, batches of 16 (the last of 6), SGD with lr 0.05 and momentum
0.9, cross-entropy. tests/models/torchscript_test.cpp trains the same with lightrun and compares.
"""

import csv
import json
import pathlib

import torch

HERE = pathlib.Path(__file__).parent


class IrisNet(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = torch.nn.Linear(4, 12)
        self.norm = torch.nn.BatchNorm1d(12)
        self.out = torch.nn.Linear(12, 3)

    def forward(self, x):
        return self.out(torch.tanh(self.norm(self.hidden(x))))


def iris():
    with (HERE / "iris.csv").open() as file:
        rows = list(csv.DictReader(file))
    species = sorted({row["species"] for row in rows})
    features = [[float(row[name]) for name in list(row)[:4]] for row in rows]
    return torch.tensor(features), torch.tensor([species.index(row["species"]) for row in rows])


def train(net, features, target):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    net.train()
    for _ in range(5):
        for begin in range(0, len(features), 16):
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(net(features[begin:begin + 16]), target[begin:begin + 16])
            loss.backward()
            optimizer.step()


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    net = IrisNet()
    torch.jit.script(net).save(str(HERE / "iris_net.pt"))
    train(net, *iris())
    print(json.dumps({name: tensor.flatten().tolist() for name, tensor in net.state_dict().items()}, indent=1))


main()
