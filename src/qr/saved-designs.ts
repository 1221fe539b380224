import type { Database } from '../db/database.ts'
import { invalidRequest, Problem } from '../http/problem.ts'
import { createValidator } from '../http/validate.ts'
import type { Designs, LinkOfDesign } from '../links/design.ts'
import { designSchema, type Design } from './design/schema.ts'
import type { Images } from './images.ts'
import type { Refusal } from './pool/job.ts'
import type { RenderPool } from './pool/pool.ts'
import { deleteDesign, findDesign, insertDesigns, putDesign } from './store.ts'

const validate = createValidator(designSchema)

/** Codes of one job: about as much of a thread as two images, so that those of others wait for no more. */
const CODES_PER_JOB = 25

interface Deps {
  db: Database
  images: Pick<Images, 'designed'>
  check: RenderPool['check']
  /** The text that the QR code of a short link encodes. */
  textOf: (code: string, origin: string) => string
}

/** The designs of links: checks and stores them. */
export function createDesigns(deps: Deps): Designs<Design> {
  const { db } = deps
  return {
    async of(linkId) {
      const design = await findDesign(db.read, linkId)
      return design === undefined ? undefined : (JSON.parse(design) as Design)
    },
    ...createChecks(deps),
    save: (db, linkId, { value }) =>
      value === null ? deleteDesign(db, linkId) : putDesign(db, linkId, JSON.stringify(value)),
    async saveNew(db, designs) {
      const texts = new Map<object, string>()
      const rows = designs.map(({ linkId, design }) => {
        const text = texts.get(design) ?? JSON.stringify(design)
        texts.set(design, text)
        return { link_id: linkId, design: text }
      })
      await insertDesigns(db, rows)
    },
  }
}

function createChecks({ images, check, textOf }: Deps): Pick<Designs<Design>, 'requireScannable' | 'checkCodes'> {
  const requireScannable: Designs['requireScannable'] = async (value, { code, origin, at = '/design' }, holder) => {
    requireValid(value, at)
    const text = textOf(code, origin)
    await images.designed({ text, design: value, at, format: 'svg', size: 1024 }, { holder })
  }

  /** Draws codes small and reads them back, some at a time. */
  const readCodes: Designs['checkCodes'] = async (design, { codes, origin }, requester) => {
    requireValid(design, '/design')
    const faults: (Problem | undefined)[] = []
    for (let from = 0; from < codes.length; from += CODES_PER_JOB) {
      requester.signal?.throwIfAborted()
      const texts = codes.slice(from, from + CODES_PER_JOB).map((code) => textOf(code, origin))
      faults.push(...(await check({ texts, design, at: '/design' }, requester)).faults.map(toProblem))
    }
    return faults
  }

  return {
    requireScannable,
    async checkCodes(design, which, requester) {
      const faults = which.codes.length === 1 ? [undefined] : await readCodes(design, which, requester)
      // One is drawn as visitors get it, which finds what costs too much: that is so with every code.
      const code = which.codes[faults.indexOf(undefined)]
      if (code === undefined) return faults
      const fault = await problemOf(requireScannable(design, { code, origin: which.origin }, requester.holder))
      return faults.map((each) => each ?? fault)
    },
  }
}

/** @throws {Problem} 400 with every invalid field */
function requireValid(value: unknown, at: NonNullable<LinkOfDesign['at']>): asserts value is Design {
  const errors = validate(value).map(({ pointer, detail }) => ({ pointer: at + pointer, detail }))
  if (errors.length > 0) throw invalidRequest(errors)
}

async function problemOf(check: Promise<void>): Promise<Problem | undefined> {
  try {
    await check
    return undefined
  } catch (error) {
    if (error instanceof Problem && error.code !== 'unavailable') return error
    throw error
  }
}

function toProblem(refusal: Refusal | undefined): Problem | undefined {
  return refusal && new Problem(refusal.code, refusal.detail, refusal)
}
