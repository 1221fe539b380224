import { openCachedFile, type CachedFile } from './cached-file.ts'
import { createMmdbData, type MmdbData } from './mmdb-data.ts'
import { createSearchTree, type Walk } from './mmdb-tree.ts'

/** Holds the upper levels of a tree of 6 million networks, and the latest records. */
const CACHE_BYTES = 4 * 1024 * 1024
/** The metadata follow these bytes, within the last 128 KiB of the file. */
const MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
const METADATA_BYTES = 128 * 1024

/** A file with a record for each network (https://maxmind.github.io/MaxMind-DB/). */
export interface Mmdb {
  ipVersion: 4 | 6
  size: number
  /** In milliseconds since 1970. */
  builtAt: number
  /** The publisher's name of the database. */
  type: string
  /**
   * Returns the offset of the record of an address (4 or 16 bytes) in `data`; undefined when there is none.
   * @throws when the file is damaged there, or cannot be read
   */
  find: (address: readonly number[]) => number | undefined
  /** @throws when the tree is damaged anywhere, or cannot be read */
  walk: Walk
  data: MmdbData
  close: () => void
}

/**
 * @param cacheBytes the most memory for its blocks, a power of 2
 * @throws when the file cannot be read, or has no valid metadata
 */
export function openMmdb(path: string, cacheBytes = CACHE_BYTES): Mmdb {
  const file = openCachedFile(path, cacheBytes)
  try {
    const { builtAt, type, ...layout } = readMetadata(file)
    const { find, walk, dataAt } = createSearchTree(file.byte, layout)
    return {
      ipVersion: layout.ipVersion,
      size: file.size,
      builtAt,
      type,
      find,
      walk,
      data: createMmdbData(file, dataAt),
      close: file.close,
    }
  } catch (error) {
    file.close()
    throw error
  }
}

function readMetadata(file: CachedFile) {
  const end = findMarker(file)
  const start = end + MARKER.length
  const metadata = createMmdbData(file, start)
  const number = (name: string) => metadata.number(start, [name]) ?? Number.NaN
  const ipVersion = ([4, 6] as const).find((version) => version === number('ip_version'))
  const recordSize = number('record_size')
  const nodeCount = number('node_count')
  const builtAt = number('build_epoch') * 1000
  if (ipVersion === undefined) throw new Error('its metadata have no valid IP version')
  // The time must be one that a Date can hold.
  const isValid = [24, 28, 32].includes(recordSize) && nodeCount > 0 && builtAt <= 8.64e15
  if (!isValid) throw new Error('its metadata are not valid')
  return { ipVersion, recordSize, nodeCount, builtAt, type: metadata.text(start, ['database_type']) ?? '', end }
}

/** Most metadata are short: searches the last kilobyte first. */
function findMarker(file: CachedFile): number {
  for (const length of [Math.min(file.size, 1024), Math.min(file.size, METADATA_BYTES)]) {
    const found = file.bytes(file.size - length, length).lastIndexOf(MARKER)
    if (found >= 0) return file.size - length + found
  }
  throw new Error('it has no metadata')
}
