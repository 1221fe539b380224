import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/fast-check.ts'
import { traceOutline } from './outline.ts'

/** Fills a path of M, m, h, v and z by the rule evenodd: a module is dark when an odd number of edges lies left of it. */
function fillPath(path: string, size: number): number[] {
  const crossings = Array.from({ length: size * (size + 1) }, () => 0)
  let [x, y, startX, startY] = [0, 0, 0, 0]
  const upright = (to: number) => {
    for (let row = Math.min(y, to); row < Math.max(y, to); row++)
      crossings[row * (size + 1) + x] = 1 - (crossings[row * (size + 1) + x] ?? 0)
    y = to
  }
  for (const [, command, first = '0', second = '0'] of path.matchAll(/([MmhvzHV])(-?\d+)?[ ]?(-?\d+)?/g)) {
    if (command === 'M') [x, y] = [Number(first), Number(second)]
    else if (command === 'm') [x, y] = [x + Number(first), y + Number(second)]
    else if (command === 'h') x += Number(first)
    else if (command === 'v') upright(y + Number(first))
    else if (command === 'z') {
      assert.ok(x === startX || y === startY, 'a contour closes along an edge')
      upright(startY)
      x = startX
    }
    if (command === 'M' || command === 'm') [startX, startY] = [x, y]
  }
  return Array.from({ length: size * size }, (_, at) => {
    const row = Math.floor(at / size) * (size + 1)
    return crossings.slice(row, row + (at % size) + 1).reduce((sum, edge) => sum ^ edge, 0)
  })
}

test('the outline fills exactly the dark modules, in any pattern', () => {
  const squares = fc
    .integer({ min: 1, max: 12 })
    .chain((size) =>
      fc.record({ size: fc.constant(size), dark: fc.array(fc.nat(1), { minLength: size ** 2, maxLength: size ** 2 }) }),
    )
  fc.assert(
    fc.property(squares, ({ size, dark }) => {
      const symbol = { version: 1, level: 'L', mask: 0, size, modules: Uint8Array.from(dark) } as const
      assert.deepEqual(fillPath(traceOutline(symbol), size), dark)
    }),
    { numRuns: 2000 },
  )
})
