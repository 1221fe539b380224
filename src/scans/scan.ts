import type { Written } from '../dimensions/dimension.ts'
import { dimensions, listValues, valuesOf, type Listing, type Values } from '../dimensions/dimensions.ts'

/**
 * One recorded visit of a live code, with a value of each dimension. No field holds an address, a user agent or a whole referrer,
 * only values derived from them. Unknown is null.
 */
export interface Scan extends Values {
  linkId: number
  /** Milliseconds since 1970, UTC. */
  at: number
  bot: boolean
  /** 53 bits that identify a visitor of one link within one UTC day (`describing/visitor-key.ts`); null when the visitor opts out of tracking. */
  visitor: number | null
}

/** A scan with what the fold finds out. */
export interface FoldedScan extends Scan {
  /** Whether it is the visitor's first of the day. */
  first: boolean
  /** Whether it is a person's first of the day. Left out where only visitors are known: each is taken for a person then. */
  person?: boolean
  /** Whether nobody knows if it is the first, because there was no room for the key of its visitor; then it is not. */
  untold?: boolean
}

/**
 * A scan in the journal: link, time, the values of the first seven dimensions, whether it is by a bot, the visitor, and the values
 * of the later dimensions as far as one is known. Only the version that wrote it, or a later one, reads it; an earlier one that
 * takes over a journal ignores the dimensions that it does not know.
 */
type JournalRow = Written[]

/** The dimensions of the first version, whose values stand before what is of no dimension. */
const EARLY = 7

/** Those that the journal does not hold as they are. */
const coded = dimensions.flatMap(({ journal }, at) => (journal === undefined ? [] : [{ at, journal }]))

/** Encodes a scan for the journal. */
export function toRow(scan: Scan): JournalRow {
  const values: Written[] = listValues(scan)
  for (const { at, journal } of coded) values[at] = journal.write(values[at] ?? null)
  const row: JournalRow = [scan.linkId, scan.at]
  for (let at = 0; at < EARLY; at++) row.push(values[at] ?? null)
  row.push(scan.bot ? 1 : 0, scan.visitor)
  let length = values.length
  while (length > EARLY && values[length - 1] === null) length--
  for (let at = EARLY; at < length; at++) row.push(values[at] ?? null)
  return row
}

/** Decodes a scan from the journal. */
export function fromRow(row: JournalRow): Scan {
  const values: Listing[number][] = []
  for (let at = 0; at < dimensions.length; at++) values.push(row[at < EARLY ? at + 2 : at + 4] ?? null)
  for (const { at, journal } of coded) values[at] = journal.read(values[at] ?? null)
  const [linkId, at] = row as [number, number]
  const visitor = row[EARLY + 3] as number | null
  return { ...valuesOf(values as Listing), linkId, at, bot: row[EARLY + 2] === 1, visitor }
}
