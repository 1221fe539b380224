/** Codes of a Huffman tree (RFC 1951, 3.2.2) by symbol: the bits to write, and their number; 0 for no code. */
export interface Codes {
  bits: Uint16Array
  lengths: Uint8Array
}

/** The best codes for symbols of these frequencies, none longer than `longest` bits. */
export function huffmanCodes(frequencies: Uint32Array, longest: number): Codes {
  let flattened = frequencies
  let lengths = codeLengths(flattened)
  while (lengths.some((length) => length > longest)) {
    // The codes of rare symbols are too long: flatten the frequencies.
    flattened = flattened.map((frequency) => (frequency === 0 ? 0 : (frequency >> 2) + 1))
    lengths = codeLengths(flattened)
  }
  return { lengths, bits: codeBits(lengths) }
}

/** Repeatedly joins the two rarest nodes: leaves by ascending frequency, joints in the order of their creation. */
function codeLengths(frequencies: Uint32Array): Uint8Array {
  const lengths = new Uint8Array(frequencies.length)
  const leaves = rarestFirst(frequencies)
  // A single code still takes one bit.
  if (leaves.length === 1) lengths[leaves[0] ?? 0] = 1
  if (leaves.length < 2) return lengths
  const parents = joinAll(leaves.map((symbol) => frequencies[symbol] ?? 0))
  const depths = new Uint8Array(parents.length + 1)
  for (let node = parents.length - 1; node >= 0; node--) depths[node] = (depths[parents[node] ?? 0] ?? 0) + 1
  for (const [leaf, symbol] of leaves.entries()) lengths[symbol] = depths[leaf] ?? 0
  return lengths
}

function rarestFirst(frequencies: Uint32Array): number[] {
  const symbols: number[] = []
  for (let symbol = 0; symbol < frequencies.length; symbol++) if (frequencies[symbol]) symbols.push(symbol)
  return symbols.sort((a, b) => (frequencies[a] ?? 0) - (frequencies[b] ?? 0))
}

/** @returns the parent of each node but the last, which is the root: the leaves first, then the joints */
function joinAll(leaves: number[]): number[] {
  const weights = [...leaves]
  const parents: number[] = []
  let [leaf, joint] = [0, leaves.length]
  const takeRarest = () => {
    const weight = leaves[leaf] ?? Infinity
    return weight <= (weights[joint] ?? Infinity) ? leaf++ : joint++
  }
  while (weights.length < leaves.length * 2 - 1) {
    const [one, other] = [takeRarest(), takeRarest()]
    parents[one] = parents[other] = weights.length
    weights.push((weights[one] ?? 0) + (weights[other] ?? 0))
  }
  return parents
}

/** Assigns consecutive codes within each length; each length starts at twice the end of the shorter one. */
function codeBits(lengths: Uint8Array): Uint16Array {
  const bits = new Uint16Array(lengths.length)
  const next = new Uint16Array(17)
  for (let length = 1, code = 0; length < 16; length++, code <<= 1) {
    next[length] = code
    for (const each of lengths) if (each === length) code++
  }
  for (const [symbol, length] of lengths.entries()) {
    if (length === 0) continue
    const code = next[length] ?? 0
    next[length] = code + 1
    bits[symbol] = reverse(code, length)
  }
  return bits
}

/** Codes are written from the highest bit, everything else from the lowest. */
function reverse(code: number, length: number): number {
  let reversed = 0
  for (let bit = 0; bit < length; bit++) reversed = (reversed << 1) | ((code >> bit) & 1)
  return reversed
}
