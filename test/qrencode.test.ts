import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { createEncoder, type QrSymbol } from '../src/qr/encoder/encoder.ts'
import { levels, sizeOf, type Level } from '../src/qr/encoder/tables.ts'
import { planSegments } from '../src/qr/encoder/segments.ts'
import { isWhole, seed } from './support/corpus.ts'
import { requireProgram } from './support/programs.ts'

const INPUTS = isWhole ? 2000 : 320

/** The characters of the texts. Mixed texts have runs long enough that the best place to change the mode is unambiguous. */
const alphabets = {
  digits: ['0123456789'],
  capitals: ['ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:'],
  bytes: ['abcdefghijklmnopqrstuvwxyz_~!?&=#,;'],
  mixed: ['0123456789', 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
}
type Kind = keyof typeof alphabets
const kinds = Object.keys(alphabets) as Kind[]

/** Pseudo-random numbers from a seed (Lehmer, modulus 2^31 - 1). */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}

interface Input {
  kind: Kind
  level: Level
  minVersion: number
  text: string
}

/**
 * Versions, levels and kinds rotate: 160 inputs cover each pair, 640 each triple. The lengths are random, and some need
 * a larger version.
 */
function* inputs(): Generator<Input> {
  const random = createRandom(seed)
  for (let at = 0; at < INPUTS; at++) {
    const minVersion = (at % 40) + 1
    const level = levels[Math.floor(at / 40) % 4] ?? 'L'
    const kind = kinds[(at + Math.floor(at / 40) + Math.floor(at / 160)) % kinds.length] ?? 'bytes'
    const run = kind === 'mixed' ? 25 + random(15) : Infinity
    const some = 1 + random(minVersion ** 2 / 2 + 10)
    const length = kind === 'mixed' ? run * (2 + Math.ceil(some / run)) : some
    const characters = Array.from({ length }, (_, index) => {
      const alphabet = alphabets[kind][Math.floor(index / run) % alphabets[kind].length] ?? ''
      return alphabet[random(alphabet.length)] ?? ''
    })
    yield { kind, level, minVersion, text: characters.join('') }
  }
}

/** The modules that Debian's `qrencode` draws for a text, with two characters per module. */
async function drawnByQrencode({ text: data, level, minVersion }: Input): Promise<string[]> {
  const options = ['-t', 'ASCII', '-m', '0', '-l', level, '-v', String(minVersion), '-o', '-']
  const program = spawn('qrencode', options, { stdio: ['pipe', 'pipe', 'inherit'] })
  program.stdin.end(data)
  const lines = (await text(program.stdout)).trimEnd().split('\n')
  const width = lines.length * 2
  return lines.map((line) => line.padEnd(width).replace(/(.)./g, '$1'))
}

/** The mask in the format information beside the first finder pattern (7.9). */
function maskOf(lines: string[]): number {
  const dark = (x: number) => (lines[8]?.[x] === '#' ? 1 : 0)
  return ((dark(2) << 2) | (dark(3) << 1) | dark(4)) ^ 0b101
}

function draw({ size, modules }: QrSymbol): string[] {
  return Array.from({ length: size }, (_, y) =>
    Array.from({ length: size }, (_, x) => (modules[y * size + x] === 1 ? '#' : ' ')).join(''),
  )
}

test('the inputs cover each pair of version, level and kind', () => {
  const all = [...inputs()]
  const combinations = (of: (input: Input) => unknown[]) => new Set(all.map((input) => of(input).join(' '))).size
  assert.equal(
    combinations(({ minVersion, level }) => [minVersion, level]),
    40 * 4,
  )
  assert.equal(
    combinations(({ minVersion, kind }) => [minVersion, kind]),
    40 * kinds.length,
  )
  assert.equal(
    combinations(({ level, kind }) => [level, kind]),
    4 * kinds.length,
  )
})

test(`the encoder draws the same modules as qrencode, for ${INPUTS} texts of all modes, versions and levels`, async (t) => {
  if (!requireProgram(t, 'qrencode', 'qrencode')) return
  t.diagnostic(`SEED=${seed}`)
  const encode = createEncoder()
  const all = inputs()
  const seen = {
    versions: new Set<number>(),
    masks: new Set<number>(),
    levels: new Set<string>(),
    kinds: new Set<string>(),
  }
  const faults: string[] = []
  let compared = 0
  const workers = Array.from({ length: availableParallelism() * 2 }, async () => {
    for (const input of all) {
      const theirs = await drawnByQrencode(input)
      const mask = maskOf(theirs)
      const { level, minVersion } = input
      const ours = encode(Buffer.from(input.text), { level, minVersion, boost: false, mask })
      assert.ok(ours)
      if (draw(ours).join('\n') !== theirs.join('\n')) {
        faults.push(`${JSON.stringify(input)}: version ${ours.version} for ${(theirs.length - 17) / 4}, mask ${mask}`)
      }
      assert.equal(ours.size, sizeOf(ours.version))
      seen.versions.add(ours.version)
      seen.masks.add(mask)
      seen.levels.add(level)
      seen.kinds.add(
        `${planSegments(Buffer.from(input.text), level)
          ?.segments.map(({ mode }) => mode)
          .join('')
          .slice(0, 3)}`,
      )
      compared++
    }
  })
  await Promise.all(workers)
  assert.deepEqual(faults.slice(0, 5), [])
  assert.equal(compared, INPUTS)
  assert.deepEqual([seen.versions.size, seen.masks.size, seen.levels.size], [40, 8, 4])
  for (const kind of ['0', '1', '2', '021']) assert.ok(seen.kinds.has(kind), `no text was cut into ${kind}`)
  t.diagnostic(`${compared} symbols compared`)
})
