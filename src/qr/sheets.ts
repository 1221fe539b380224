import type { Database } from '../db/database.ts'
import { invalidRequest, MAX_ERRORS, Problem } from '../http/problem.ts'
import { ownBuffer } from '../lib/own-buffer.ts'
import type { Design } from './design/schema.ts'
import type { RenderPool } from './pool/pool.ts'
import type { Requester } from './pool/queue.ts'
import type { CalibrationJob, SheetCode, SheetJob } from './print/sheet-job.ts'
import { findDesigns } from './store.ts'

/** A code of a sheet; its design is the one that was saved for its link. */
export type LinkOnSheet = Omit<SheetCode, 'design'> & { linkId: number }

/** Many codes on sheets of labels or on pages, as one PDF file. */
export interface Sheets {
  /**
   * Checks each designed code as it is drawn, and draws all.
   * @throws {Problem} 400 with each code that cannot be scanned or does not fit, 503 when too many images wait
   */
  draw: (codes: LinkOnSheet[], how: Pick<SheetJob, 'onto' | 'style'>, requester: Requester) => Promise<Buffer>
  /** Draws the calibration page. @throws {Problem} 503 when too many images wait */
  calibration: (onto: Omit<CalibrationJob['onto'], 'kind'>, requester: Requester) => Promise<Buffer>
}

/** Codes of one check: about as much of a thread as two images, so that those of others wait for no more. */
const CODES_PER_CHECK = 25
/** How long the checks of one request may take, in milliseconds. */
const MAX_CHECK_MS = 20_000
/** Links whose designs one statement reads. */
const LINKS_PER_READ = 20
/** Characters of the different designs of one request together, as JSON: all of them are in memory at once. */
const MAX_CHARACTERS = 8 * 1024 * 1024

export function createSheets({ db, pool }: { db: Database; pool: Pick<RenderPool, 'check' | 'sheet'> }): Sheets {
  /** Of each paper and language. */
  const calibrations = new Map<string, Buffer>()
  return {
    async draw(codes, { onto, style }, requester) {
      const designs = await designsOf(db, codes)
      const drawn = codes.map(({ linkId, ...code }) => ({ ...code, design: designs.indexOf.get(linkId) }))
      await checkCodes(pool, drawn, designs.all, requester)
      const { body } = await pool.sheet({ codes: drawn, designs: designs.all, onto, style }, requester)
      return ownBuffer(body)
    },
    async calibration(onto, requester) {
      const name = `${onto.paper} ${onto.language}`
      const drawn = calibrations.get(name)
      if (drawn !== undefined) return drawn
      const file = ownBuffer((await pool.sheet({ onto: { kind: 'calibration', ...onto } }, requester)).body)
      calibrations.set(name, file)
      return file
    },
  }
}

/** The different designs of links, and which of them each link has. @throws {Problem} 400 when they are too large together */
async function designsOf(db: Database, codes: LinkOnSheet[]): Promise<{ all: Design[]; indexOf: Map<number, number> }> {
  const ids = [...new Set(codes.map(({ linkId }) => linkId))]
  const texts = new Map<string, number>()
  const indexOf = new Map<number, number>()
  let characters = 0
  for (let from = 0; from < ids.length; from += LINKS_PER_READ)
    for (const { link_id: id, design } of await findDesigns(db.read, ids.slice(from, from + LINKS_PER_READ))) {
      const known = texts.get(design)
      if (known === undefined) characters += design.length
      if (characters > MAX_CHARACTERS) throw tooLarge()
      const index = known ?? texts.size
      texts.set(design, index)
      indexOf.set(id, index)
    }
  return { all: [...texts.keys()].map((text) => JSON.parse(text) as Design), indexOf }
}

function tooLarge(): Problem {
  const detail = `have different designs of more than ${MAX_CHARACTERS / 1024 / 1024} MiB together: print fewer at once`
  return invalidRequest([{ pointer: '/links', detail }])
}

/** @throws {Problem} 400 with each code that cannot be scanned with its design */
async function checkCodes(
  { check }: Pick<RenderPool, 'check'>,
  codes: SheetCode[],
  designs: Design[],
  requester: Requester,
): Promise<void> {
  const until = performance.now() + MAX_CHECK_MS
  const faults: { name: string; fault: { code: Problem['code']; detail: string } }[] = []
  for (const { design, some } of batches(codes, designs)) {
    if (performance.now() > until) throw tooSlow()
    const job = { texts: some.map(({ text }) => text), design, at: '/design', isSaved: true }
    const found = (await check(job, requester)).faults
    faults.push(...found.flatMap((fault, at) => (fault ? [{ name: some[at]?.name ?? '', fault }] : [])))
  }
  const [first] = faults
  if (first === undefined) return
  const errors = faults
    .slice(0, MAX_ERRORS)
    .map(({ name, fault }) => ({ pointer: '/links', detail: `the design of ${name}: ${fault.detail}` }))
  throw new Problem(first.fault.code, errors[0]?.detail ?? first.fault.detail, { errors })
}

/** The codes of each design, as many as one check takes. */
function* batches(codes: SheetCode[], designs: Design[]): Generator<{ design: Design; some: SheetCode[] }> {
  const byDesign = Map.groupBy(codes, ({ design }) => design)
  for (const [index, design] of designs.entries()) {
    const designed = byDesign.get(index) ?? []
    for (let from = 0; from < designed.length; from += CODES_PER_CHECK)
      yield { design, some: designed.slice(from, from + CODES_PER_CHECK) }
  }
}

function tooSlow(): Problem {
  return new Problem('unavailable', 'the designs of these codes take too long to check now: print fewer, or later')
}
