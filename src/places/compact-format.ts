// A table of places, converted from published files so that a look-up takes one read of the disk, and an index in memory.
// It has the networks in order, in blocks of a fixed size; each entry is the distance from the previous one and the number
// of its place.

/** The first block is the header; then follow the blocks of networks, IPv4 first, the index and the names. */
export const BLOCK_BYTES = 512

/** To be incremented when the layout changes, or the interpretation of records. */
export const FORMAT = 2

export interface Header {
  format: number
  /** Identifies the published files. */
  key: string
  size: number
  builtAt: number
  type: string
  /** The number of blocks of each family. */
  blocks: { 4: number; 6: number }
  /** The size of all names, and their number. */
  nameBytes: number
  names: number
  /** The checksum of the index and the names. */
  crc: number
}

/** The part of a family's address space that the table covers: a prefix, and the resolution in bits after it. */
interface Space {
  prefix: readonly number[]
  bits: number
}

/** All public IPv6 is in 2000::/3; 53 bits, the /56 of a household, are what a number represents exactly. */
export const spaces: { 4: Space; 6: Space } = { 4: { prefix: [], bits: 32 }, 6: { prefix: [0, 0, 1], bits: 53 } }

/** The position of an address in the space of its family. */
export function positionOf(address: readonly number[]): number {
  const [bytes, prefix] = address.length === 4 ? [4, 256] : [7, 32]
  let position = (address[0] ?? 0) % prefix
  for (let index = 1; index < bytes; index++) position = position * 256 + (address[index] ?? 0)
  return position
}

/** Identifies the published files that a table is made from. */
export function keyOf(files: readonly { size: number; builtAt: number; type: string }[]): string {
  return files.map(({ size, builtAt, type }) => `${size}-${builtAt}-${type}`).join(' ')
}
