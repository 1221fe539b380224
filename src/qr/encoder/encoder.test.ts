import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { createEncoder } from './encoder.ts'
import {
  ALPHANUMERIC,
  BYTE,
  countBitsOf,
  inOneSegment,
  NUMERIC,
  planSegments,
  utf8Header,
  type Mode,
} from './segments.ts'
import { blocksOf, levels } from './tables.ts'

const encode = createEncoder()
const bytesOf = (text: string) => Buffer.from(text)

const modes: { mode: Mode; sixths: number; takes: RegExp }[] = [
  { mode: NUMERIC, sixths: 20, takes: /^\d*$/ },
  { mode: ALPHANUMERIC, sixths: 33, takes: /^[\dA-Z $%*+\-./:]*$/ },
  { mode: BYTE, sixths: 48, takes: /^/ },
]

/** The fewest bits of all divisions of a text into segments. */
function fewestBits(bytes: Uint8Array, version: number): number {
  const best = [0]
  for (let end = 1; end <= bytes.length; end++) {
    const ways = modes.flatMap(({ mode, sixths, takes }) =>
      Array.from({ length: end }, (_, start) => {
        if (!takes.test(Buffer.from(bytes.subarray(start, end)).toString('latin1'))) return Infinity
        return (best[start] ?? 0) + 4 + countBitsOf(mode, version) + Math.ceil(((end - start) * sixths) / 6)
      }),
    )
    best.push(Math.min(...ways))
  }
  return best.at(-1) ?? 0
}

const mixed = fc
  .array(
    fc.oneof(
      fc.stringMatching(/^[0-9]{0,20}$/),
      fc.stringMatching(/^[A-Z0-9 $%*+./:-]{0,20}$/),
      fc.stringMatching(/^[a-z?=&_#]{0,12}$/),
      fc.constantFrom('ü', '😀', '', 'Straße', '短縮'),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''))
  .filter((text) => text.length > 0)

test('no other division into segments takes fewer bits', () => {
  fc.assert(
    fc.property(mixed, fc.constantFrom(1, 10, 27), (text, minVersion) => {
      const plan = planSegments(bytesOf(text), 'L', minVersion)
      assert.ok(plan)
      assert.equal(Buffer.concat(plan.segments.map(({ bytes }) => bytes)).toString(), text)
      assert.equal(plan.bits, fewestBits(bytesOf(text), plan.version) + (plan.saysUtf8 ? utf8Header.bits : 0))
    }),
    { numRuns: 500 },
  )
})

test('a text is said to be UTF-8 if it is not ASCII, unless only a symbol that does not say so has room for it', () => {
  fc.assert(
    fc.property(mixed, (text) => {
      assert.equal(planSegments(bytesOf(text), 'M')?.saysUtf8, /[^\0-\x7f]/.test(text))
    }),
  )
  // 2,953 bytes fill a symbol of version 40 but for four bits.
  const plans = [2952, 2953].map((length) => planSegments(bytesOf('é' + 'x'.repeat(length - 2)), 'L'))
  assert.deepEqual(
    plans.map((plan) => [plan?.version, plan?.saysUtf8]),
    [
      [40, true],
      [40, false],
    ],
  )
})

test('what is said to be UTF-8 is one segment where the symbol has room for it, and another text is as it was', () => {
  fc.assert(
    fc.property(mixed, fc.constantFrom(...levels), (text, level) => {
      const bytes = bytesOf(text)
      const plan = planSegments(bytes, level)
      assert.ok(plan)
      const placed = inOneSegment(plan, bytes, level)
      const { version, saysUtf8 } = plan
      const inBytes = utf8Header.bits + 4 + countBitsOf(BYTE, version) + bytes.length * 8
      const hasRoom = inBytes <= blocksOf(version, level).data * 8
      if (saysUtf8 && hasRoom)
        assert.deepEqual(placed, { version, saysUtf8, bits: inBytes, segments: [{ mode: BYTE, bytes }] })
      else assert.equal(placed, plan)
    }),
  )
})

test('adjacent segments differ in mode, and no character is split', () => {
  fc.assert(
    fc.property(mixed, (text) => {
      const { segments } = planSegments(bytesOf(text), 'M') ?? { segments: [] }
      for (const [at, { mode, bytes }] of segments.entries()) {
        assert.ok(bytes.length > 0)
        assert.notEqual(mode, segments[at + 1]?.mode)
        assert.ok(!Buffer.from(bytes).toString().includes('\ufffd'))
      }
    }),
  )
})

test('a mixed text needs a smaller symbol than in byte mode alone', () => {
  const ticket = 'https://example.com/t/' + '0123456789'.repeat(4)
  const smaller = encode(bytesOf(ticket), { level: 'M', boost: false })
  const alone = encode(bytesOf('x'.repeat(ticket.length)), { level: 'M', boost: false })
  assert.deepEqual([smaller?.version, alone?.version], [3, 4])
})

test('the level is raised as far as the version allows, and never lowered', () => {
  fc.assert(
    fc.property(mixed, fc.constantFrom(...levels), (text, level) => {
      const [plain, boosted] = [false, true].map((boost) => encode(bytesOf(text), { level, boost }))
      assert.ok(plain && boosted)
      assert.equal(plain.level, level)
      assert.equal(boosted.version, plain.version)
      assert.ok(levels.indexOf(boosted.level) >= levels.indexOf(level))
      const { bits } = planSegments(bytesOf(text), level) ?? { bits: 0 }
      const next = levels[levels.indexOf(boosted.level) + 1]
      assert.ok(next === undefined || bits > blocksOf(plain.version, next).data * 8)
    }),
  )
})

test('encoding a text that fits into no symbol returns undefined, in every mode', () => {
  for (const [character, most] of [
    ['7', 7089],
    ['A', 4296],
    ['a', 2953],
  ] as const) {
    assert.equal(encode(bytesOf(character.repeat(most)), { level: 'L' })?.version, 40)
    assert.equal(encode(bytesOf(character.repeat(most + 1)), { level: 'L' }), undefined)
  }
})

test('the same text always gives the same symbol, also after others', () => {
  const first = encode(bytesOf('https://example.com/'), { level: 'Q' })
  encode(bytesOf('HELLO'), { level: 'L' })
  assert.deepEqual(encode(bytesOf('https://example.com/'), { level: 'Q' }), first)
  assert.deepEqual(createEncoder()(bytesOf('https://example.com/'), { level: 'Q' }), first)
})
