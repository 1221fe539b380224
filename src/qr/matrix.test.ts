import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../http/problem.ts'
import { createEncodeText, type Level } from './matrix.ts'

const encode = createEncodeText()
const largest = 40 * 4 + 17

test('the largest symbol of each level holds exactly the capacity that the error states, in each mode', () => {
  const bounds: [character: string, bounds: [Level, number][]][] = [
    [
      '7',
      [
        ['L', 7089],
        ['M', 5596],
        ['Q', 3993],
        ['H', 3057],
      ],
    ],
    [
      'A',
      [
        ['L', 4296],
        ['M', 3391],
        ['Q', 2420],
        ['H', 1852],
      ],
    ],
    [
      'a',
      [
        ['L', 2953],
        ['M', 2331],
        ['Q', 1663],
        ['H', 1273],
      ],
    ],
    [
      'ü',
      [
        ['L', 1476],
        ['M', 1165],
        ['Q', 831],
        ['H', 636],
      ],
    ],
  ]
  for (const [character, levels] of bounds) {
    for (const [level, most] of levels) {
      assert.equal(encode(character.repeat(most), { level }).size, largest)
      assert.throws(
        () => encode(character.repeat(most + 1), { level }),
        (error) => error instanceof Problem && error.status === 400,
      )
    }
  }
})

test('a symbol is as small as the standard allows, and square', () => {
  for (const [text, size] of [
    ['1', 21],
    ['HELLO WORLD', 21],
    ['https://example.com/abc2345?qr=1', 29],
  ] as const) {
    const symbol = encode(text, { level: 'M' })
    assert.equal(symbol.size, size)
    assert.equal(symbol.modules.length, size * size)
  }
})
