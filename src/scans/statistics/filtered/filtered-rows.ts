import type { AudienceSums } from '../quarter-hours.ts'
import type {
  CountedRows,
  CountsQuery,
  LinkQuery,
  LinkRows,
  ManyRows,
  RawRow,
  RawSlots,
  RowQueries,
  SlotRange,
  Sources,
} from '../row-queries.ts'
import type { CountsById } from '../value-sums.ts'
import type { Filters } from '../stats-query.ts'
import { numberOf } from '../../../dimensions/dimensions.ts'
import type { BlockCache } from './block-cache.ts'
import { toBlock, type Block } from './block.ts'
import { createMasks } from './masks.ts'
import { monthsOf, piecesOf, planBlocks, type PlannedBlock } from './plan.ts'
import { createTally, type Tally } from './tally.ts'

/** What the reading of raw scans needs. */
export interface RawReading {
  rows: RowQueries
  blocks: BlockCache
  /** Ends the reading when its result is no longer wanted. */
  signal?: AbortSignal | undefined
}

/** The scans of a window that are to be counted. */
interface PlannedWindow {
  range: SlotRange
  blocks: PlannedBlock[]
  imported: number
  missing: number
}

/** What is to be read for a question. */
export interface Plan {
  ranges: SlotRange[]
  /** By link and window. */
  windows: Map<number, PlannedWindow[]>
  /** Scans that have to be read; those of blocks in memory count little. */
  scans: number
}

/** Of the time of a scan that is read, what one of a block in memory takes. */
const KEPT_SHARE = 1 / 30

/** Finds out what is to be read. */
export async function planReading(
  { rows, blocks, signal }: RawReading,
  linkIds: number[],
  ranges: SlotRange[],
): Promise<Plan> {
  const plan: Plan = { ranges, windows: new Map(), scans: 0 }
  for (const linkId of linkIds) {
    const windows: PlannedWindow[] = []
    for (const range of ranges) {
      const window = planWindow(range, await rows.rawSlots(linkId, monthsOf(range)))
      for (const each of window.blocks) {
        const isKept = blocks.get(linkId, each, window.imported) !== undefined
        plan.scans += each.scans * (isKept ? KEPT_SHARE : 1)
      }
      windows.push(window)
    }
    plan.windows.set(linkId, windows)
    await rows.pause()
    signal?.throwIfAborted()
  }
  return plan
}

function planWindow(range: SlotRange, { imported, slots }: RawSlots): PlannedWindow {
  const isIn = (slot: number) => slot >= range.fromSlot && slot < range.toSlot
  const touches = (block: SlotRange) => block.fromSlot < range.toSlot && block.toSlot > range.fromSlot
  const missing = slots.reduce((sum, [slot, , count]) => sum + (isIn(slot) ? count : 0), 0)
  return { range, blocks: planBlocks(slots).filter(touches), imported, missing }
}

/** Called with the counts of a link in the first window. */
export type EachLink = (linkId: number, sums: AudienceSums) => void

/** What statistics read of raw scans. */
export interface FilteredRows extends CountedRows {
  /** Links as one: their windows are counted once, however many links there are. */
  ofSet: (linkIds: number[], query: LinkQuery, each: EachLink) => Promise<LinkRows>
}

/** Reads what was planned, as rollups are read. Scans that are folded meanwhile may be counted, or not. */
export function filteredRows(reading: RawReading, filters: Filters, plan: Plan): FilteredRows {
  const planned = { ...plan, rows: reading.rows, count: createCount(reading, filters) }
  const ofSet: FilteredRows['ofSet'] = (linkIds, query, each) => readAsOne(planned, linkIds, query, each)
  return {
    ofSet,
    ofLink: (linkId, query) => ofSet([linkId], query, () => {}),
    ofLinks: (linkIds, query) => readEach(planned, linkIds, query),
    texts: reading.rows.texts,
  }
}

/** What was planned, and what counts it. */
interface Planned extends Plan {
  rows: RowQueries
  count: ReturnType<typeof createCount>
}

async function readAsOne(
  { ranges, windows, rows, count }: Planned,
  linkIds: number[],
  { audience, slots, heat }: LinkQuery,
  each: EachLink,
): Promise<LinkRows> {
  const tallies = ranges.map((range) => createTally(range, audience))
  const [main = createTally(NO_WINDOW.range, audience), ...earlier] = tallies
  let missing = 0
  for (const linkId of linkIds) {
    const ofLink = windows.get(linkId) ?? []
    missing += ofLink[0]?.missing ?? 0
    for (const [at, tally] of tallies.entries()) {
      const sums = await count(linkId, ofLink[at] ?? NO_WINDOW, tally)
      if (at === 0) each(linkId, sums)
    }
  }
  const sources: Sources[] = []
  for (const tally of earlier) sources.push(await sourcesOf(tally, rows))
  return {
    slots: slots.map((range) => (tallies.find(({ covers }) => covers(range)) ?? main).sumOf(range)),
    values: main.values,
    earlier: sources,
    heat: main.heatOf(heat),
    missing,
    behindMs: await rows.behindMs(),
  }
}

async function readEach(
  { windows, rows, count }: Planned,
  linkIds: number[],
  { audience, slots }: CountsQuery,
): Promise<ManyRows> {
  const links: ManyRows['links'] = []
  for (const linkId of linkIds) {
    const window = windows.get(linkId)?.find(({ range }) => slots.every((slot) => isWithin(slot, range))) ?? NO_WINDOW
    const tally = createTally(window.range, audience)
    await count(linkId, window, tally)
    links.push({ slots: slots.map(tally.sumOf), sources: await sourcesOf(tally, rows) })
  }
  return { links, behindMs: await rows.behindMs() }
}

const sourcesOf = (tally: Tally, { texts }: RowQueries) => sumSources(tally.values.of(SOURCE), texts)

/** Counts the scans of a link in a window that fit. @returns their sums */
function createCount(reading: RawReading, filters: Filters) {
  const masksOf = createMasks(filters, reading.rows.texts)
  return async (linkId: number, window: PlannedWindow, tally: Tally): Promise<AudienceSums> => {
    const sum: AudienceSums = { humans: 0, humanFirsts: 0, bots: 0, botFirsts: 0 }
    for await (const block of readBlocks(reading, linkId, window)) {
      const { humans, humanFirsts, bots, botFirsts } = tally.add(block, await masksOf(block))
      sum.humans += humans
      sum.humanFirsts += humanFirsts
      sum.bots += bots
      sum.botFirsts += botFirsts
    }
    return sum
  }
}

const SOURCE = numberOf('source')
const NO_WINDOW: PlannedWindow = { range: { fromSlot: 0, toSlot: 0 }, blocks: [], imported: 0, missing: 0 }

const isWithin = (range: SlotRange, window: SlotRange) =>
  range.fromSlot >= window.fromSlot && range.toSlot <= window.toSlot

async function sumSources(counts: CountsById, readTexts: RowQueries['texts']): Promise<Sources> {
  const textOf = await readTexts(counts.keys())
  const sums: Sources = { qr: 0, link: 0 }
  for (const [id, { scans }] of counts) sums[textOf(id) === 'qr' ? 'qr' : 'link'] += scans
  return sums
}

/** The blocks of a window. While one is counted, the next one is read, by PostgreSQL in another process. */
async function* readBlocks(reading: RawReading, linkId: number, { blocks, imported }: PlannedWindow) {
  const read = (at: number) => {
    const planned = blocks[at]
    const block = planned && readBlock(reading, linkId, planned, imported)
    // Nobody awaits it when another one fails before.
    block?.catch(() => {})
    return block
  }
  let next = read(0)
  for (let at = 1; next !== undefined; at++) {
    const block = await next
    next = read(at)
    yield block
    await reading.rows.pause()
    reading.signal?.throwIfAborted()
  }
}

/** The scans of a block: those that were read before, if they are still all. */
async function readBlock(
  { rows, blocks, signal }: RawReading,
  linkId: number,
  planned: PlannedBlock,
  imported: number,
): Promise<Block> {
  const kept = blocks.get(linkId, planned, imported)
  if (kept !== undefined) return kept
  const read: RawRow[] = []
  for (const [from, to] of piecesOf(planned)) {
    for (const row of await rows.rawRows(linkId, from, to)) read.push(row)
    await rows.pause()
    signal?.throwIfAborted()
  }
  const block = toBlock(planned, read)
  blocks.keep(linkId, planned, imported, block)
  return block
}
