import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rasterizer } from '../../../test/support/rasterizer.ts'
import { arcHull, type Point } from './path.ts'

const SIDE = 160
const [from, to]: [Point, Point] = [
  [70, 75],
  [92, 84],
]
const radii = [
  [30, 30],
  [40, 15],
  [5, 5],
  [12, 30],
  [300, 100],
]
const flags = [
  [0, 0],
  [0, 1],
  [1, 0],
  [1, 1],
]

test('an arc lies within its hull at any rotation, and the hull of a large arc is tight', () => {
  const { pixels } = rasterizer
  const drawn = (d: string): Point[] => {
    const path = `<path d="${d}" fill="none" stroke="red"/>`
    const { rgba } = pixels(`<svg xmlns="http://www.w3.org/2000/svg" width="${SIDE}" height="${SIDE}">${path}</svg>`)
    const places = Array.from({ length: SIDE * SIDE }, (_, at) => at).filter((at) => (rgba[at * 4 + 3] ?? 0) > 127)
    return places.map((at) => [at % SIDE, Math.floor(at / SIDE)])
  }
  const arcs = radii.flatMap((radius) =>
    [0, 30, 90, 200].flatMap((turn) => flags.map((each) => [...radius, turn, ...each])),
  )
  for (const arc of arcs) {
    const points = drawn(`M${from.join(' ')}A${[...arc, ...to].join(' ')}`)
    const [[left, top], [right, bottom]] = arcHull(from, to, arc) as [Point, Point]
    assert.ok(points.length > 10)
    for (const [x, y] of points) {
      assert.ok(x >= left - 2 && x <= right + 2 && y >= top - 2 && y <= bottom + 2, `${arc.join(' ')} at ${x} ${y}`)
    }
    if (arc[0] === 30 && arc[3] === 1) assert.ok(Math.abs(right - left - 60) < 1e-9, arc.join(' '))
  }
})
