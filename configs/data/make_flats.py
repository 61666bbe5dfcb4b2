#!/usr/bin/env python3
"""Writes flats.csv: rents of flats that do not exist, for trying tables with categories and missing values.

    python3 configs/data/make_flats.py

rent = 10 area + 90 rooms - 2.5 age + what the district is worth + 60 with a balcony, and noise of deviation 25.
Every 40th age is left out.
"""

import csv
import pathlib
import random

DISTRICTS = {"harbour": 320, "hill": 180, "market": 90, "mill": 0, "station": -60}


def main():
    random.seed(1)
    path = pathlib.Path(__file__).with_name("flats.csv")
    with path.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["area", "rooms", "age", "district", "balcony", "rent"])
        for row in range(600):
            area = random.uniform(20, 140)
            rooms = max(1, round(area / 27 + random.gauss(0, 0.5)))
            age = random.randrange(0, 100)
            district = random.choice(sorted(DISTRICTS))
            balcony = random.random() < 0.4
            rent = 10 * area + 90 * rooms - 2.5 * age + DISTRICTS[district] + 60 * balcony + random.gauss(0, 25)
            table.writerow([f"{area:.1f}", rooms, "" if row % 40 == 7 else age, district, "yes" if balcony else "no",
                            f"{rent:.0f}"])


main()
