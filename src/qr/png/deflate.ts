import { createBitWriter, type BitWriter } from './bit-writer.ts'
import { huffmanCodes, type Codes } from './huffman.ts'
import type { Tokens } from './tokens.ts'

const END_OF_BLOCK = 256
const LENGTH_SYMBOLS = 286
const DISTANCE_SYMBOLS = 30
/** The order in which the lengths of the code length codes are written (RFC 1951, 3.2.7). */
const headerOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

/** Writes a zlib stream (RFC 1950) of one block with dynamic codes, in time proportional to the tokens, not the bytes. */
export function deflateTokens(tokens: Tokens, adler: number): Buffer {
  const symbols = new Uint32Array(LENGTH_SYMBOLS)
  const distances = new Uint32Array(DISTANCE_SYMBOLS)
  symbols[END_OF_BLOCK] = 1
  count(tokens, symbols, distances)
  const [symbolCodes, distanceCodes] = [huffmanCodes(symbols, 15), huffmanCodes(distances, 15)]
  const header = describeCodes(symbolCodes.lengths, distanceCodes.lengths)

  const writer = createBitWriter(sizeOf(header, { symbols, symbolCodes, distances, distanceCodes }))
  // Deflate with a window of 32 KiB, the check bits, no dictionary; then the last block, with dynamic codes.
  writer.write(0x78, 8)
  writer.write(0xda, 8)
  writer.write(0b101, 3)
  writeHeader(writer, header)
  writeTokens(writer, tokens, symbolCodes, distanceCodes)
  writer.write(symbolCodes.bits[END_OF_BLOCK] ?? 0, symbolCodes.lengths[END_OF_BLOCK] ?? 0)
  return writer.end(adler)
}

/** A length or a distance as RFC 1951, 3.2.5, writes it: a symbol, and further bits. */
interface Split {
  symbol: number
  extra: number
  extraBits: number
}

/** Each power of two from `1 << steps` on has `1 << steps` symbols. */
function split(offset: number, steps: number, first: number): Split {
  const extraBits = Math.max(0, 31 - Math.clz32(offset) - steps)
  const symbol = first + (extraBits << steps) + (offset >> extraBits)
  return { symbol, extra: offset & ((1 << extraBits) - 1), extraBits }
}

function splitLength(length: number): Split {
  return length === 258 ? { symbol: 285, extra: 0, extraBits: 0 } : split(length - 3, 2, 257)
}

function splitDistance(distance: number): Split {
  return split(distance - 1, 1, 0)
}

function count({ lengths, values, counts }: Tokens, symbols: Uint32Array, distances: Uint32Array): void {
  for (let at = 0; at < lengths.length; at++) {
    const length = lengths[at] ?? 0
    const value = values[at] ?? 0
    const times = counts[at] ?? 0
    const symbol = length === 0 ? value : splitLength(length).symbol
    symbols[symbol] = (symbols[symbol] ?? 0) + times
    if (length === 0) continue
    const distance = splitDistance(value).symbol
    distances[distance] = (distances[distance] ?? 0) + times
  }
}

/** The code lengths of both alphabets, run-length coded. */
interface Header {
  symbolCount: number
  distanceCount: number
  /** Symbols 0 to 18, each with its further bits. */
  items: Split[]
  codes: Codes
  codeCount: number
}

function describeCodes(symbolLengths: Uint8Array, distanceLengths: Uint8Array): Header {
  const symbolCount = Math.max(257, symbolLengths.findLastIndex((length) => length > 0) + 1)
  const distanceCount = Math.max(1, distanceLengths.findLastIndex((length) => length > 0) + 1)
  const all = [...symbolLengths.subarray(0, symbolCount), ...distanceLengths.subarray(0, distanceCount)]
  const items = runLengths(all)
  const frequencies = new Uint32Array(19)
  for (const { symbol } of items) frequencies[symbol] = (frequencies[symbol] ?? 0) + 1
  const codes = huffmanCodes(frequencies, 7)
  const codeCount = Math.max(4, headerOrder.findLastIndex((symbol) => (codes.lengths[symbol] ?? 0) > 0) + 1)
  return { symbolCount, distanceCount, items, codes, codeCount }
}

/** Symbol 16 repeats the length before 3 to 6 times, 17 and 18 a zero 3 to 10 and 11 to 138 times. */
function runLengths(lengths: number[]): Split[] {
  const items: Split[] = []
  for (let at = 0; at < lengths.length;) {
    const length = lengths[at] ?? 0
    let run = 1
    while (lengths[at + run] === length) run++
    at += run
    if (length > 0) {
      items.push({ symbol: length, extra: 0, extraBits: 0 })
      run--
    }
    for (let taken = 0; run > 0; run -= taken) {
      const longest = length > 0 ? 6 : 138
      taken = run < 3 ? 1 : Math.min(run, longest)
      if (taken === 1) items.push({ symbol: length, extra: 0, extraBits: 0 })
      else if (length > 0) items.push({ symbol: 16, extra: taken - 3, extraBits: 2 })
      else if (taken <= 10) items.push({ symbol: 17, extra: taken - 3, extraBits: 3 })
      else items.push({ symbol: 18, extra: taken - 11, extraBits: 7 })
    }
  }
  return items
}

interface Coded {
  symbols: Uint32Array
  symbolCodes: Codes
  distances: Uint32Array
  distanceCodes: Codes
}

/** The length of the stream in bytes, from the frequencies of its symbols. */
function sizeOf(header: Header, { symbols, symbolCodes, distances, distanceCodes }: Coded): number {
  const extraOfLength = (symbol: number) => (symbol < 265 || symbol === 285 ? 0 : (symbol - 261) >> 2)
  const extraOfDistance = (symbol: number) => (symbol < 4 ? 0 : (symbol - 2) >> 1)
  let bits = 16 + 3 + 14 + header.codeCount * 3
  for (const { symbol, extraBits } of header.items) bits += (header.codes.lengths[symbol] ?? 0) + extraBits
  for (const [symbol, times] of symbols.entries()) {
    if (times > 0) bits += times * ((symbolCodes.lengths[symbol] ?? 0) + extraOfLength(symbol))
  }
  for (const [symbol, times] of distances.entries()) {
    if (times > 0) bits += times * ((distanceCodes.lengths[symbol] ?? 0) + extraOfDistance(symbol))
  }
  return Math.ceil(bits / 8) + 4
}

function writeHeader(writer: BitWriter, { symbolCount, distanceCount, items, codes, codeCount }: Header): void {
  writer.write(symbolCount - 257, 5)
  writer.write(distanceCount - 1, 5)
  writer.write(codeCount - 4, 4)
  for (const symbol of headerOrder.slice(0, codeCount)) writer.write(codes.lengths[symbol] ?? 0, 3)
  for (const { symbol, extra, extraBits } of items) {
    writer.write(codes.bits[symbol] ?? 0, codes.lengths[symbol] ?? 0)
    writer.write(extra, extraBits)
  }
}

function writeTokens(writer: BitWriter, tokens: Tokens, symbolCodes: Codes, distanceCodes: Codes): void {
  const { lengths, values, counts } = tokens
  for (let at = 0; at < lengths.length; at++) {
    const length = lengths[at] ?? 0
    const value = values[at] ?? 0
    const times = counts[at] ?? 0
    if (length === 0) {
      writer.write(symbolCodes.bits[value] ?? 0, symbolCodes.lengths[value] ?? 0)
      continue
    }
    const [front, back] = [splitLength(length), splitDistance(value)]
    const frontBits = symbolCodes.lengths[front.symbol] ?? 0
    const frontCode = (symbolCodes.bits[front.symbol] ?? 0) | (front.extra << frontBits)
    const backBits = distanceCodes.lengths[back.symbol] ?? 0
    const backCode = (distanceCodes.bits[back.symbol] ?? 0) | (back.extra << backBits)
    const [frontTotal, backTotal] = [frontBits + front.extraBits, backBits + back.extraBits]
    writer.repeat(times, frontTotal + backTotal, () => {
      writer.write(frontCode, frontTotal)
      writer.write(backCode, backTotal)
    })
  }
}
