"""A pendulum with names, units, outputs and an energy."""

PENDULUM = """
sodae: 1
parameters: {m: 2, L: 1.5, g: 9.81}
units: {x: m, y: m, T: N, power: W, tip: m, m: kg, energy: J}
outputs:
  power: -m*g*v_y
  tip: [x, 2*y]
  inertia: [m*a_x, m*a_y + m*g]
  pull: [reaction(x), reaction(v_y)]
equations:
  positions: [x, y]
  mass: [m, m]
  force: [0, -m*g]
  holonomic: [x^2 + y^2 - L^2]
  holonomic_multipliers: [T]
energy: {expression: m/2*(v_x^2 + v_y^2) + m*g*y, conserved: true}
initial: {positions: {x: L}, velocities: {v_y: 1}}
run: {t_end: 1, output_step: 0.05}
"""
