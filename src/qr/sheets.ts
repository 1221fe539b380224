import type { Database } from '../db/database.ts'
import { invalidRequest, MAX_ERRORS, Problem, REASON } from '../http/problem.ts'
import { ownBuffer } from '../lib/own-buffer.ts'
import { readInParts, type PartBounds } from '../lib/read-in-parts.ts'
import { within } from '../lib/within.ts'
import type { Design } from './design/schema.ts'
import { fromRefusal } from './pool/job.ts'
import type { RenderPool } from './pool/pool.ts'
import type { Requester } from './pool/queue.ts'
import type { CalibrationJob, DrawnLogo, SheetCode, SheetDesign, SheetJob, SheetPartJob } from './print/sheet-job.ts'
import { createSheetMemory, type HeldSheet, type SheetMemory } from './sheet-memory.ts'
import { findDesigns } from './store.ts'

/** A code of a sheet; its design is the one that was saved for its link. */
export type LinkOnSheet = Omit<SheetCode, 'design'> & { linkId: number }

/** How sheets are drawn. */
export interface SheetOrder extends Pick<SheetPartJob, 'onto' | 'style'> {
  /** When the request has arrived, by `performance.now()`; now by default. */
  receivedAt?: number | undefined
  /** Waits until the next designs may be read. */
  turn: () => Promise<void>
  /** Charges the different designs, each of which is drawn once, before the first is. */
  chargeDesigns?: (count: number) => Promise<void>
}

/** Many codes on sheets of labels or on pages, as one PDF file. */
export interface Sheets {
  /**
   * Checks each designed code as it is drawn, and draws all, in parts between which others have their turn.
   * @throws {Problem} 400 with each code that cannot be scanned or does not fit, 503 when too many images wait, or all takes too long
   */
  draw: (codes: LinkOnSheet[], how: SheetOrder, requester: Requester) => Promise<Buffer>
  /** Draws the calibration page. @throws {Problem} 503 when too many images wait */
  calibration: (onto: Omit<CalibrationJob['onto'], 'kind'>, requester: Requester) => Promise<Buffer>
}

/** Codes of one check or of one part of a sheet: about as much of a thread as two images, so that those of others wait for no more. */
const CODES_AT_ONCE = 25
/** How long after its request a sheet is given up, in milliseconds: the server closes a connection to which it wrote nothing for 30 s. */
const MAX_MS = 27_000
/** Links whose designs one statement reads, for which visits wait. */
const PART: PartBounds = { rows: 20, characters: 512 * 1024 }
/** Bytes that a code takes in memory, with its texts and its link. */
const BYTES_OF_CODE = 2048
/** Characters of the different designs of one request together, as JSON: all of them are in memory at once. */
const MAX_CHARACTERS = 8 * 1024 * 1024

interface Deps {
  db: Pick<Database, 'read'>
  pool: Pick<RenderPool, 'check' | 'sheetPart' | 'sheet'>
  memory?: SheetMemory
}

export function createSheets({ db, pool, memory = createSheetMemory() }: Deps): Sheets {
  /** One for each paper and language: they take longer than most codes, and are always the same. */
  const calibrations = new Map<string, Buffer>()
  return {
    async draw(codes, how, requester) {
      const ms = (how.receivedAt ?? performance.now()) + MAX_MS - performance.now()
      return within({ ms, tooLate: tooSlow, signal: requester.signal }, async (signal) => {
        const held = memory.open({ ...requester, signal })
        try {
          return await drawHeld({ db, pool }, codes, how, { requester, held })
        } finally {
          held.release()
        }
      })
    },
    async calibration(onto, requester) {
      const name = `${onto.paper} ${onto.language}`
      const known = calibrations.get(name)
      if (known !== undefined) return known
      const drawn = ownBuffer((await pool.sheet({ onto: { kind: 'calibration', ...onto } }, requester)).body)
      calibrations.set(name, drawn)
      return drawn
    },
  }
}

/** Draws sheets, whose codes and designs are counted before they are kept. */
async function drawHeld(
  { db, pool }: Pick<Deps, 'db' | 'pool'>,
  codes: LinkOnSheet[],
  { onto, style, turn, chargeDesigns }: SheetOrder,
  { requester, held }: { requester: Requester; held: HeldSheet },
): Promise<Buffer> {
  held.add(codes.length * BYTES_OF_CODE)
  const designs = await designsOf({ db, turn }, codes, held)
  await chargeDesigns?.(designs.all.length)
  const drawn = codes.map(({ linkId, ...code }) => ({ ...code, design: designs.indexOf.get(linkId) }))
  const waiting = { ...requester, signal: held.signal }
  const turns = { requester: waiting, held }
  const logos = await checkCodes(pool, drawn, designs.all, turns)
  const parts = await drawParts(pool, { codes: drawn, designs: designs.all, logos, onto, style }, turns)
  const { body } = await pool.sheet({ parts, count: drawn.length, logos, onto }, waiting)
  return ownBuffer(body)
}

/** How a request has its turns on the threads. */
interface Turns {
  requester: Requester
  held: Pick<HeldSheet, 'add' | 'signal'>
}

/** How designs are read. */
type Reading = Pick<Deps, 'db'> & Pick<SheetOrder, 'turn'>

/** The different designs of links, and which of them each link has. @throws {Problem} 400 when they are too large together, 503 */
async function designsOf(
  reading: Reading,
  codes: LinkOnSheet[],
  held: Pick<HeldSheet, 'add' | 'signal'>,
): Promise<{ all: Design[]; indexOf: Map<number, number> }> {
  const texts = new Map<string, number>()
  const indexOf = new Map<number, number>()
  let characters = 0
  for await (const { link_id: id, design } of readDesigns(reading, [...new Set(codes.map(({ linkId }) => linkId))])) {
    held.signal.throwIfAborted()
    const known = texts.get(design)
    if (known === undefined) {
      characters += design.length
      if (characters > MAX_CHARACTERS) throw tooLarge()
      held.add(design.length)
    }
    const index = known ?? texts.size
    texts.set(design, index)
    indexOf.set(id, index)
  }
  return { all: [...texts.keys()].map((text) => JSON.parse(text) as Design), indexOf }
}

/** The designs of links, which may be the same large one a thousand times: each part is read in a turn. */
async function* readDesigns({ db, turn }: Reading, ids: number[]) {
  const read = async (some: number[]) => {
    await turn()
    return findDesigns(db.read, some)
  }
  for await (const part of readInParts(ids, read, ({ design }) => design.length, PART)) yield* part
}

function tooLarge(): Problem {
  const detail = `have different designs of more than ${MAX_CHARACTERS / 1024 / 1024} MiB together: print fewer at once`
  return invalidRequest([{ pointer: '/links', detail }])
}

/**
 * Checks each code, and draws the logos: one takes up to a second, and the images of others have their turn after each.
 * @returns the logos, by the index of their design
 * @throws {Problem} 400 with each code that cannot be scanned with its design
 */
async function checkCodes(
  { check }: Pick<RenderPool, 'check'>,
  codes: SheetCode[],
  designs: Design[],
  { requester, held }: Turns,
): Promise<SheetJob['logos']> {
  const logos = new Map<Design, DrawnLogo>()
  const faults: { name: string; fault: { code: Problem['code']; detail: string } }[] = []
  for (const { design, some } of batches(codes, designs)) {
    held.signal.throwIfAborted()
    const wantsLogo = !logos.has(design)
    const job = { texts: some.map(({ text }) => text), design, at: '/design', isSaved: true, wantsLogo }
    const found = await check(job, requester)
    faults.push(...found.faults.flatMap((fault, at) => (fault ? [{ name: some[at]?.name ?? '', fault }] : [])))
    if (found.logo === undefined) continue
    held.add(found.logo.colors.length + (found.logo.opacities?.length ?? 0))
    logos.set(design, found.logo)
  }
  const [first] = faults
  if (first === undefined) return designs.map((design) => logos.get(design))
  const errors = faults.slice(0, MAX_ERRORS).map(({ name, fault }) => ({
    pointer: '/links',
    detail: `the design of ${name}: ${fault.detail}`,
    [REASON]: { name: 'unscannable', of: name } as const,
  }))
  throw new Problem(first.fault.code, errors[0]?.detail ?? first.fault.detail, { errors })
}

/** The codes of each design, as many as one check takes. */
function* batches(codes: SheetCode[], designs: Design[]): Generator<{ design: Design; some: SheetCode[] }> {
  const byDesign = Map.groupBy(codes, ({ design }) => design)
  for (const [index, design] of designs.entries()) {
    const designed = byDesign.get(index) ?? []
    for (let from = 0; from < designed.length; from += CODES_AT_ONCE)
      yield { design, some: designed.slice(from, from + CODES_AT_ONCE) }
  }
}

/** What is drawn in parts. */
interface Undrawn extends Pick<SheetPartJob, 'onto' | 'style'>, Pick<SheetJob, 'logos'> {
  codes: SheetCode[]
  designs: Design[]
}

/**
 * Draws the codes of a sheet, some at a time.
 * @throws {Problem} 400 with each code that does not fit, or whose text cannot be printed
 */
async function drawParts(
  { sheetPart }: Pick<RenderPool, 'sheetPart'>,
  { codes, designs, logos, onto, style }: Undrawn,
  { requester, held }: Turns,
): Promise<SheetJob['parts']> {
  const parts: SheetJob['parts'] = []
  const faults: Problem[] = []
  for (let from = 0; from < codes.length && faults.length < MAX_ERRORS; from += CODES_AT_ONCE) {
    held.signal.throwIfAborted()
    const part = codes.slice(from, from + CODES_AT_ONCE)
    const drawn = await sheetPart({ part, designs: designsIn(part, designs, logos), onto, style }, requester)
    faults.push(...drawn.faults.flatMap((fault) => (fault ? [fromRefusal(fault)] : [])))
    if (faults.length > 0) continue
    held.add(drawn.body.length)
    parts.push(drawn.body)
  }
  const [first] = faults
  if (first === undefined) return parts
  const errors = faults.flatMap((fault) => fault.errors).slice(0, MAX_ERRORS)
  throw first.code === 'invalid_request' ? invalidRequest(errors) : new Problem(first.code, first.message, { errors })
}

function designsIn(part: SheetCode[], designs: Design[], logos: SheetJob['logos']): SheetPartJob['designs'] {
  const found: Map<number, SheetDesign> = new Map()
  for (const { design: index } of part) {
    const design = index === undefined ? undefined : designs[index]
    if (index === undefined || design === undefined || found.has(index)) continue
    const logo = logos[index]
    found.set(index, { design, logo: logo && { width: logo.width, height: logo.height, ratio: logo.ratio } })
  }
  return found
}

function tooSlow(): Problem {
  const detail = 'these codes take too long to check and draw now: print fewer, or later'
  return new Problem('unavailable', detail, { headers: { 'retry-after': '30' } })
}
