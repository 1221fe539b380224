// A table of places made from published files, so that a look-up costs one read of the disk and the memory of an index:
// networks in order, in blocks of a fixed size, each entry the distance from the one before and the number of its place.

/** Of the first block stands the header; then come the blocks of networks, IPv4 first, then the index and the names. */
export const BLOCK_BYTES = 512

/** Raised when the layout changes, or what is read from records. */
export const FORMAT = 2

export interface Header {
  format: number
  /** What the table was made from. */
  key: string
  size: number
  builtAt: number
  type: string
  /** How many blocks each family has. */
  blocks: { 4: number; 6: number }
  /** Of the names, in bytes, and how many there are. */
  nameBytes: number
  names: number
  /** Of the index and the names. */
  crc: number
}

/** The address space of a family: the prefix that is looked at, and how many of the bits that follow it are told apart. */
interface Space {
  prefix: readonly number[]
  bits: number
}

/** All that is public of IPv6 is in 2000::/3; its /56, which is a household's, is the finest that a number holds exactly. */
export const spaces: { 4: Space; 6: Space } = { 4: { prefix: [], bits: 32 }, 6: { prefix: [0, 0, 1], bits: 53 } }

/** Where an address stands in its family's space. */
export function positionOf(address: readonly number[]): number {
  const [bytes, prefix] = address.length === 4 ? [4, 256] : [7, 32]
  let position = (address[0] ?? 0) % prefix
  for (let index = 1; index < bytes; index++) position = position * 256 + (address[index] ?? 0)
  return position
}

/** What is asked of the published files that a table is made from. */
export function keyOf(files: readonly { size: number; builtAt: number; type: string }[]): string {
  return files.map(({ size, builtAt, type }) => `${size}-${builtAt}-${type}`).join(' ')
}
