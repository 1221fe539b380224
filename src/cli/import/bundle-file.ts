import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { isObject } from '../../http/body.ts'
import { BUNDLE_FORMAT, BUNDLE_VERSION, bundleFiles } from '../../links/bundle.ts'
import { StartError } from '../../lib/start-error.ts'
import { exportedTables, type TableName } from '../../scans/statistics/export.ts'
import { MAX_COUNT, readRecords, type TableRows, type ImportedScan } from '../../scans/import/records.ts'
import { readTable } from './bundle-table.ts'
import { openZip, type Zip, type ZipEntry } from './zip.ts'
import { slotOf } from '../../scans/calendar.ts'
import { addCounts, addTo, type Counts } from '../../scans/folding/increments.ts'
import { dimensionNames, isSparse } from '../../dimensions/dimensions.ts'

/** The ZIP of a link with the longest possible history has less: it is not compressed. */
const MAX_BYTES = 4 * 2 ** 30
/** Of link.json, whose design may have a logo. */
const MAX_LINK_BYTES = 4 * 2 ** 20

const tables = Object.keys(exportedTables) as TableName[]

const bounds = new Map<string, number>([
  [bundleFiles.link, MAX_LINK_BYTES],
  ...tables.map((table) => [bundleFiles[table], MAX_BYTES] as const),
])

/** What link.json says; the service checks the rest. */
export interface BundledLink {
  code: string
  has_password?: unknown
  removed?: unknown
  totals?: unknown
  [field: string]: unknown
}

/** A bundle whose every value was read once. */
export interface Bundle {
  /** SHA-256 of names, sizes and checksums of its files. */
  digest: string
  link: BundledLink
  /** Visits that its quarters of an hour count. */
  clicks: number
  /** Reads the records of a table again, some at a time. */
  read: (table: TableName, limit: number) => AsyncGenerator<string[][]>
  close: () => void
}

/**
 * Opens a bundle and reads all of it, so that a broken one changes nothing.
 * @throws {StartError} that names the file in it and the line
 */
export async function openBundle(file: string): Promise<Bundle> {
  let zip: Zip | undefined
  try {
    zip = await openZip(file, { bytes: MAX_BYTES, entries: bounds.size, unpackedOf: (name) => bounds.get(name) })
    const entries = new Map(zip.entries.map((entry) => [entry.name, entry]))
    const link = await readLink(entryOf(entries, bundleFiles.link))
    const sums = sumBundle()
    for (const table of tables) await addTable(sums, table, entryOf(entries, bundleFiles[table]))
    sums.requireEqual()
    const read: Bundle['read'] = (table, limit) => {
      const entry = entryOf(entries, bundleFiles[table])
      return table === 'scans' ? readTable(table, entry, limit, counted(sums)) : readTable(table, entry, limit)
    }
    return { digest: digestOf(zip.entries), link, clicks: sums.clicks(), read, close: zip.close }
  } catch (error) {
    zip?.close()
    throw new StartError(`${file}: ${(error as Error).message}`, { cause: error })
  }
}

function entryOf(entries: Map<string, ZipEntry>, name: string): ZipEntry {
  const entry = entries.get(name)
  if (entry === undefined) throw new Error(`it has no ${name}: it is not a bundle of quirl`)
  return entry
}

async function readLink(entry: ZipEntry): Promise<BundledLink> {
  const text = (await buffer(Readable.from(entry.read()))).toString()
  const link = parseJson(text)
  if (!isObject(link) || link['format'] !== BUNDLE_FORMAT || typeof link['code'] !== 'string')
    throw new Error(`${entry.name} is not the link of a bundle: its format must be ${BUNDLE_FORMAT}`)
  if (link['version'] !== BUNDLE_VERSION)
    throw new Error(`${entry.name} has version ${String(link['version'])}, and this quirl reads ${BUNDLE_VERSION}`)
  return link as BundledLink
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`${bundleFiles.link}: ${(error as Error).message}`, { cause: error })
  }
}

/** Reads every value of a table. */
async function addTable(sums: BundleSums, table: TableName, entry: ZipEntry): Promise<void> {
  const add = (record: string[]) => {
    sums.add(readRecords(table, [record], Date.now()))
    return false
  }
  for await (const _ of readTable(table, entry, 1, add));
}

/** Which scans of a table are taken. */
function counted({ countedScans }: BundleSums): (record: string[]) => boolean {
  const isCounted = countedScans()
  return (record) => {
    const read = readRecords('scans', [record], Date.now())
    return read.table === 'scans' && read.rows.every(isCounted)
  }
}

function digestOf(entries: ZipEntry[]): string {
  const digest = createHash('sha256')
  for (const { name, size, crc32 } of entries) digest.update(`${name} ${size} ${crc32}\n`)
  return digest.digest('hex')
}

/** What the tables of a bundle count, for a comparison: a store whose tables differ would not pass `quirl verify`. */
interface BundleSums {
  /** Adds rows; those of quarters of an hour come first. */
  add: (read: TableRows) => void
  /** Visits that the quarters of an hour count. */
  clicks: () => number
  /** Begins a pass over the scans. @returns whether a scan is counted: some may have been folded after the counts were read */
  countedScans: () => (scan: ImportedScan) => boolean
  /** @throws {Error} when the tables count different visits */
  requireEqual: () => void
}

const none = (): Counts => [0, 0, 0, 0]

function sumBundle(): BundleSums {
  const slots = new Map<number, Counts>()
  const total = none()
  const values = { days: dimensionNames.map(none), months: dimensionNames.map(none) }
  const scans = new Map<number, Counts>()
  let oldest = Number.POSITIVE_INFINITY
  let isCounted: ((scan: ImportedScan) => boolean) | undefined

  function addScan(scan: ImportedScan): void {
    isCounted ??= countedBy(slots)
    if (!isCounted(scan)) return
    oldest = Math.min(oldest, slotOf(scan.at))
    addTo(scans, slotOf(scan.at), countsOf(scan))
  }

  return {
    add(read) {
      if (read.table === 'scans') read.rows.forEach(addScan)
      else if (read.table === 'quarterHours') {
        for (const { slot, counts } of read.rows) {
          addTo(slots, slot, counts)
          addCounts(total, counts)
        }
      } else {
        const sums = values[read.table]
        for (const { dimension, counts } of read.rows) addCounts(sums[dimension] ?? none(), counts)
      }
    },
    clicks: () => total[0] + total[2],
    countedScans: () => countedBy(slots),
    requireEqual() {
      if (total[0] + total[2] > MAX_COUNT) throw new Error(`it counts more than ${MAX_COUNT} visits`)
      const ofEach = [...values.days.entries(), ...values.months.entries()]
      const isSame = ofEach.every(([dimension, sums]) =>
        isSparse[dimension] === true ? isWithin(sums, total) : isEqual(sums, total),
      )
      // Scans before the oldest are not stored any more, and perhaps some of its quarter of an hour.
      const isWhole = [...slots].every(([slot, counts]) => slot <= oldest || isEqual(scans.get(slot), counts))
      if (isSame && (isWhole || scans.size === 0)) return
      throw new Error('its tables count different visits: export the link again, best while it is paused')
    },
  }
}

/** Whether each scan is one of those that its quarter of an hour counts. */
function countedBy(slots: ReadonlyMap<number, Counts>): (scan: ImportedScan) => boolean {
  const seen = new Map<number, Counts>()
  return (scan) => {
    const slot = slotOf(scan.at)
    const more = countsOf(scan)
    const before = seen.get(slot) ?? none()
    const isCounted = slots.get(slot)?.every((count, at) => (before[at] ?? 0) + (more[at] ?? 0) <= count) === true
    if (isCounted) addTo(seen, slot, more)
    return isCounted
  }
}

function countsOf({ bot, first }: ImportedScan): Counts {
  const one = first ? 1 : 0
  return bot ? [0, 0, 1, one] : [1, one, 0, 0]
}

function isWithin(part: Counts, whole: Counts): boolean {
  return part.every((count, at) => count <= (whole[at] ?? 0))
}

function isEqual(a: Counts = none(), b: Counts): boolean {
  return a.every((count, at) => count === b[at])
}
