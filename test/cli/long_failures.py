#!/usr/bin/env python3
"""Failures of methods of second order, which take a million steps up to them.

usage: long_failures.py SODAE EXAMPLES
"""
import sys

from command import check_claims
from failing import Failing, names_the_negative_mass, replays_under_error_control


def a_failing_step_is_replayed_after_many(here):
    replays_under_error_control(here, "generalized-alpha")


def a_negative_mass_is_named_after_many_steps(here):
    names_the_negative_mass(here, "--method generalized-alpha")


CLAIMS = [a_failing_step_is_replayed_after_many, a_negative_mass_is_named_after_many_steps]


check_claims(CLAIMS, lambda folder: (Failing(sys.argv[1], sys.argv[2], folder),))
