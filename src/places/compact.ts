import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { BLOCK_BYTES, FORMAT, positionOf, type Header } from './compact-format.ts'
import type { Place, PlaceFile } from './record.ts'

/** Bounds the memory for a damaged header: the largest tables have a hundredth of it. */
const MAX_TAIL_BYTES = 256 * 1024 * 1024

/**
 * Opens a table that `writeCompact` has written.
 * @param key the expected key of its published files
 * @param movesTo the path to which the caller will rename it
 * @throws when it is missing, incomplete, or made from other files
 */
export function openCompact(path: string, key?: string, movesTo = path): PlaceFile {
  const file = openSync(path, 'r')
  try {
    const header = readHeader(file)
    if (key !== undefined && header.key !== key) throw new Error('it was made from other files')
    const { firsts, nameOf } = readTail(file, header)
    const block = Buffer.alloc(BLOCK_BYTES)
    let isClosed = false
    return {
      size: header.size,
      builtAt: header.builtAt,
      type: header.type,
      find(address) {
        const family = address.length === 4 ? 4 : 6
        const position = positionOf(address)
        const index = lastAtMost(firsts[family], position)
        if (index < 0) return undefined
        const number = (family === 4 ? 0 : header.blocks[4]) + index + 1
        if (readSync(file, block, 0, BLOCK_BYTES, number * BLOCK_BYTES) < BLOCK_BYTES) throw new Error('truncated')
        return nameOf(findInBlock(block, firsts[family][index] ?? 0, position))
      },
      readAhead: () => readAll(movesTo, () => isClosed),
      close() {
        isClosed = true
        closeSync(file)
      },
    }
  } catch (error) {
    closeSync(file)
    throw error
  }
}

const CHUNK_BYTES = 1024 * 1024

/** Loads a file into the system's cache. */
async function readAll(path: string, isDone: () => boolean): Promise<void> {
  const file = await open(path)
  try {
    const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
    while (!isDone() && (await file.read(chunk)).bytesRead > 0);
  } finally {
    await file.close()
  }
}

function readHeader(file: number): Header {
  const bytes = Buffer.alloc(BLOCK_BYTES)
  readSync(file, bytes, 0, BLOCK_BYTES, 0)
  const header = JSON.parse(bytes.toString()) as Header
  if (header.format !== FORMAT) throw new Error('it is of another version')
  return header
}

function readTail(file: number, { blocks, names, nameBytes, crc }: Header) {
  const at = BLOCK_BYTES * (1 + blocks[4] + blocks[6])
  const indexBytes = 8 * (blocks[4] + blocks[6])
  const length = indexBytes + 4 * (names + 1) + nameBytes
  if (!(length < MAX_TAIL_BYTES) || fstatSync(file).size !== at + length) throw new Error('it is incomplete')
  const { buffer } = new Uint8Array(length)
  const tail = Buffer.from(buffer)
  readSync(file, tail, 0, length, at)
  if (crc32(tail) !== crc) throw new Error('it is damaged')
  const offsets = new Uint32Array(buffer, indexBytes, names + 1)
  const texts = tail.subarray(indexBytes + 4 * (names + 1))
  return {
    firsts: { 4: new Float64Array(buffer, 0, blocks[4]), 6: new Float64Array(buffer, 8 * blocks[4], blocks[6]) },
    nameOf: (number: number): Place | undefined => {
      if (number === 0) return undefined
      const name = texts.toString('utf8', offsets[number], offsets[number + 1])
      const country = name.slice(0, 2)
      return { country: country === '--' ? null : country, city: name.slice(2) || null }
    },
  }
}

/** The index of the last value that is at most `value`; -1 when there is none. */
function lastAtMost(values: Float64Array, value: number): number {
  let [low, high] = [0, values.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((values[middle] ?? 0) <= value) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** The place of the last network in a block that begins at or before a position. */
function findInBlock(block: Buffer, first: number, position: number): number {
  let at = 0
  let start = first
  let numberAt = 0
  while (true) {
    numberAt = at
    while ((block[at++] ?? 0) >= 128);
    // The distance to the next network; 0 after the last.
    let byte = block[at++] ?? 0
    let distance = byte & 127
    for (let scale = 128; byte >= 128; scale *= 128) {
      byte = block[at++] ?? 0
      distance += (byte & 127) * scale
    }
    start += distance
    if (distance === 0 || start > position) return numberIn(block, numberAt)
  }
}

function numberIn(block: Buffer, from: number): number {
  let at = from
  let byte = block[at++] ?? 0
  let value = byte & 127
  for (let scale = 128; byte >= 128; scale *= 128) {
    byte = block[at++] ?? 0
    value += (byte & 127) * scale
  }
  return value
}
