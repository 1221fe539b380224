import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { BLOCK_BYTES, FORMAT, keyOf, spaces, type Header } from './compact-format.ts'
import type { Mmdb } from './mmdb.ts'
import { createNames, type Names } from './names.ts'

/** A number of 53 bits has eight groups of seven, and so has each of an entry's two at most. */
const LONGEST_ENTRY = 16

/**
 * Writes the table of what published files say: of each family, the first that has it.
 * @param rest called often, to let others run
 * @throws when a file is damaged, wherever it is, or names no place; nothing is left then
 */
export function writeCompact(files: readonly Mmdb[], path: string, rest: () => void = () => {}): void {
  const draft = `${path}.tmp`
  const file = openSync(draft, 'w')
  try {
    const names = createNames()
    const written = ([4, 6] as const).map((family) => writeNetworks(file, files, family, names, rest))
    const { offsets, bytes } = names.finish()
    const indexes = written.map(({ firsts }) => bytesOf(new Float64Array(firsts)))
    const tail = Buffer.concat([...indexes, bytesOf(offsets), bytes])
    if (names.count() < 2) throw new Error('it names no countries and no cities')
    writeSync(file, tail)
    const [first] = files
    const header: Header = {
      format: FORMAT,
      key: keyOf(files),
      size: files.reduce((sum, { size }) => sum + size, 0),
      builtAt: Math.min(...files.map(({ builtAt }) => builtAt)),
      type: (first?.type ?? '').slice(0, 100),
      blocks: { 4: written[0]?.firsts.length ?? 0, 6: written[1]?.firsts.length ?? 0 },
      nameBytes: bytes.length,
      names: names.count(),
      crc: crc32(tail),
    }
    writeSync(file, Buffer.from(JSON.stringify(header).padEnd(BLOCK_BYTES)), 0, BLOCK_BYTES, 0)
    // After power loss, a name must not lead to less than was written.
    fsyncSync(file)
    renameSync(draft, path)
  } finally {
    closeSync(file)
    rmSync(draft, { force: true })
  }
}

function writeNetworks(file: number, files: readonly Mmdb[], family: 4 | 6, names: Names, rest: () => void) {
  const { prefix, bits } = spaces[family]
  const blocks = createBlockWriter(file)
  if (family === 4) writeSync(file, Buffer.alloc(BLOCK_BYTES))
  for (const source of files) {
    const numberOf = names.of(source)
    let [put, position] = [-1, -1]
    let [weighed, from] = [0, 0]
    source.walk(family, prefix, (start, offset) => {
      rest()
      const number = numberOf(offset)
      if (number === put) return
      names.weigh(weighed, start - from)
      weighed = number
      from = start
      const at = Math.floor(start * 2 ** bits)
      // Of what is finer than is told apart, the first counts; neighbours in one place are one network.
      if (at === position) return
      blocks.put(at, number)
      position = at
      put = number
    })
    names.weigh(weighed, 1 - from)
    if (blocks.firsts.length > 0) break
  }
  blocks.finish()
  return blocks
}

function createBlockWriter(file: number) {
  const firsts: number[] = []
  const block = Buffer.alloc(BLOCK_BYTES)
  let end = 0
  let last = 0
  const putNumber = (value: number) => {
    let rest = value
    for (; rest >= 128; rest = Math.floor(rest / 128)) block[end++] = (rest % 128) | 128
    block[end++] = rest
  }
  const finish = () => {
    if (end > 0) writeSync(file, block)
    block.fill(0)
    end = 0
  }
  return {
    /** Where each block begins. */
    firsts,
    put(at: number, number: number): void {
      // A distance of 0 is the end of a block: room for it must be left.
      if (end + LONGEST_ENTRY >= BLOCK_BYTES) finish()
      if (end === 0) firsts.push(at)
      else putNumber(at - last)
      putNumber(number)
      last = at
    },
    finish,
  }
}

function bytesOf(array: Float64Array | Uint32Array): Buffer {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength)
}
