import type { CountedRows, ManyRows, RawRow, RawSlots, RowQueries, SlotRange, Sources } from '../row-queries.ts'
import type { CountsById } from '../value-sums.ts'
import type { Audience, Filters } from '../stats-query.ts'
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
  const plan: Plan = { windows: new Map(), scans: 0 }
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

/** Reads what was planned, as rollups are read. Scans that are folded meanwhile may be counted, or not. */
export function filteredRows(reading: RawReading, filters: Filters, plan: Plan): CountedRows {
  const { rows } = reading

  const count = createCount(reading, filters)
  const windowsOf = (linkId: number) => plan.windows.get(linkId) ?? []
  const sourcesOf = async (tally: Tally) => sumSources(tally.values.of(SOURCE), rows.texts)

  return {
    async ofLink(linkId, { audience, slots, heat }) {
      const tallies: Tally[] = []
      for (const window of windowsOf(linkId)) tallies.push(await count(linkId, window, audience))
      const [main = createTally({ fromSlot: 0, toSlot: 0 }, audience), ...earlier] = tallies
      const sources: Sources[] = []
      for (const tally of earlier) sources.push(await sourcesOf(tally))
      return {
        slots: slots.map((range) => (tallies.find(({ covers }) => covers(range)) ?? main).sumOf(range)),
        values: main.values,
        earlier: sources,
        heat: main.heatOf(heat),
        missing: windowsOf(linkId)[0]?.missing ?? 0,
        behindMs: await rows.behindMs(),
      }
    },
    async ofLinks(linkIds, { audience, slots }) {
      const links: ManyRows['links'] = []
      for (const linkId of linkIds) {
        const window = windowsOf(linkId).find(({ range }) => slots.every((slot) => isWithin(slot, range)))
        const tally = await count(linkId, window ?? NO_WINDOW, audience)
        links.push({ slots: slots.map(tally.sumOf), sources: await sourcesOf(tally) })
      }
      return { links, behindMs: await rows.behindMs() }
    },
    texts: rows.texts,
  }
}

/** Counts the scans of a window that fit. */
function createCount(reading: RawReading, filters: Filters) {
  const masksOf = createMasks(filters, reading.rows.texts)
  return async (linkId: number, window: PlannedWindow, audience: Audience): Promise<Tally> => {
    const tally = createTally(window.range, audience)
    for await (const block of readBlocks(reading, linkId, window)) tally.add(block, await masksOf(block))
    return tally
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
