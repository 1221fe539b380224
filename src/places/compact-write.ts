import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { BLOCK_BYTES, FORMAT, keyOf, spaces, type Header } from './compact-format.ts'
import type { Mmdb } from './mmdb.ts'
import { createNames, type Names } from './names.ts'

/** An entry has two numbers of up to 53 bits, in groups of seven bits. */
const MAX_ENTRY_BYTES = 16

/**
 * Writes the table of published files; each family comes from the first file that has it.
 * @param yieldNow called often during the work
 * @throws when a file is damaged anywhere, or has no place; nothing is left then
 */
export function writeCompact(files: readonly Mmdb[], path: string, yieldNow: () => void = () => {}): void {
  const draft = `${path}.tmp`
  const file = openSync(draft, 'w')
  try {
    const names = createNames()
    const written = ([4, 6] as const).map((family) => writeNetworks({ file, files, names, yieldNow }, family))
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
    // Synced before the rename: after power loss, the name must not lead to an incomplete file.
    fsyncSync(file)
    renameSync(draft, path)
  } finally {
    closeSync(file)
    rmSync(draft, { force: true })
  }
}

interface Conversion {
  file: number
  files: readonly Mmdb[]
  names: Names
  yieldNow: () => void
}

function writeNetworks({ file, files, names, yieldNow }: Conversion, family: 4 | 6) {
  const { prefix, bits } = spaces[family]
  const blocks = createBlockWriter(file)
  if (family === 4) writeSync(file, Buffer.alloc(BLOCK_BYTES))
  for (const source of files) {
    const numberOf = names.of(source)
    let [written, position] = [-1, -1]
    let [weighted, from] = [0, 0]
    source.walk(family, prefix, (start, offset) => {
      yieldNow()
      const number = numberOf(offset)
      // Adjacent networks of one place are merged.
      if (number === written) return
      names.addWeight(weighted, start - from)
      weighted = number
      from = start
      const at = Math.floor(start * 2 ** bits)
      // Of networks below the resolution, the first one counts.
      if (at === position) return
      blocks.append(at, number)
      position = at
      written = number
    })
    names.addWeight(weighted, 1 - from)
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
  const appendNumber = (value: number) => {
    let left = value
    for (; left >= 128; left = Math.floor(left / 128)) block[end++] = (left % 128) | 128
    block[end++] = left
  }
  const finish = () => {
    if (end > 0) writeSync(file, block)
    block.fill(0)
    end = 0
  }
  return {
    /** The first position of each block. */
    firsts,
    append(at: number, number: number): void {
      // A distance of 0 ends a block, and needs space too.
      if (end + MAX_ENTRY_BYTES >= BLOCK_BYTES) finish()
      if (end === 0) firsts.push(at)
      else appendNumber(at - last)
      appendNumber(number)
      last = at
    },
    finish,
  }
}

function bytesOf(array: Float64Array | Uint32Array): Buffer {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength)
}
