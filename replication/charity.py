"""The charity of the experiments: one per repetition, training actions first, then the test's."""

from __future__ import annotations

from welfarist.simulate import World, food_rescue

TEST = 2_000


def charity(repetition: int, train: int, p: float) -> tuple[World, World]:
    """Return `train` actions to learn from and 2,000 to judge by, with random true weights.

    Utilities follow the stakeholders' models exponentially: in proportion, 18 people's utilities
    of eight features would span nine dimensions, and near p = 1 nobody could tell their weights
    apart.
    """
    world = food_rescue(
        train + TEST, p=p, weights="random", mapping="exponential", random_state=repetition
    ).world
    return world[:train], world[train:]
