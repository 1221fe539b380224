import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/fast-check.ts'
import { contrastRatio, type Rgb } from '../../../lib/color.ts'
import { accentOf, accentPath, accentStyles, cards } from './accent.ts'

/** The faults of the colours that are derived from one. */
function faultsOf(color: string): string[] {
  const { fill, pressed, onFill, ...themes } = accentOf(color)
  const pairs: [what: string, Rgb, Rgb, min: number][] = [
    ['a button', onFill, fill, 4.5],
    ['a button under the pointer', onFill, pressed, 4.5],
  ]
  for (const theme of ['light', 'dark'] as const) {
    const { text, strong, wash, edge } = themes[theme]
    for (const [name, color] of Object.entries({ text, strong })) {
      pairs.push([`${theme} ${name}`, color, cards[theme], 4.5], [`${theme} ${name} on the wash`, color, wash, 4.5])
    }
    pairs.push([`the shape of a button, ${theme}`, edge ?? fill, cards[theme], edge === undefined ? 1.4 : 3])
  }
  return pairs
    .filter(([, one, other, min]) => contrastRatio(one, other) < min)
    .map(([what, one, other]) => `${color}: ${what} has a contrast of ${contrastRatio(one, other).toFixed(2)}`)
}

const hex = (...parts: number[]) => `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`

test('texts and buttons are readable in both themes, whatever colour the owner chooses', () => {
  const steps = Array.from({ length: 18 }, (_, at) => at * 15)
  for (const red of steps)
    for (const green of steps)
      for (const blue of steps) {
        assert.deepEqual(faultsOf(hex(red, green, blue)), [])
      }
  const part = fc.integer({ min: 0, max: 255 })
  fc.assert(fc.property(part, part, part, (...parts) => assert.deepEqual(faultsOf(hex(...parts)), [])))
})

test('a button has the very colour of the owner', () => {
  assert.deepEqual(accentOf('#FFD600').fill, [255, 214, 0])
  assert.match(accentStyles('#FFD600'), /--fill:#ffd600;.*--on-fill:#000000/)
  assert.equal(accentPath('#FFD600'), '/assets/accent-ffd600.css')
})
