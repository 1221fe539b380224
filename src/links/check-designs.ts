import { isDeepStrictEqual } from 'node:util'
import { invalidRequest, Problem } from '../http/problem.ts'
import { within } from '../lib/within.ts'
import { yieldEvery } from '../lib/yield-every.ts'
import type { Client } from './client.ts'
import type { DesignDeps } from './check-design.ts'
import type { CheckedDesign } from './design.ts'
import { findLooks, lookIn, lookOf } from './looks.ts'

/** Designs of one request that differ; looks do not count. */
export const MAX_DESIGNS = 20
/** Characters of the designs of all rows together, as JSON: a look is copied to each. */
const MAX_CHARACTERS = 16 * 1024 * 1024
/** Codes that count as one image: as many as are checked in its time. */
const CODES_PER_UNIT = 10
/** How long the designs of one request may take to check, in milliseconds: its connection is closed when nothing was written for 30 s. */
const MAX_CHECK_MS = 20_000

/** How long visits may wait while designs are read, in milliseconds. */
const SLICE_MS = 5

/** A row of a request that gives a link a design. */
export interface DesignRow {
  code: string
  /** The design that the link has. */
  present?: object | undefined
  /** As the client sent it: a design, `{"look": "<name>"}`, or null. */
  value: unknown
}

/** A row's design once its look is known. */
interface ChosenRow extends DesignRow {
  chosen: unknown
  /** The same for rows with the same design. */
  key: string
}

/**
 * Checks the designs of the rows of a request, each on the code of its link, as `checkDesign` does for one. All checks are charged
 * before the first.
 * @param rows a row without a design is undefined
 * @returns for each row, in their order, its design, or why it has none
 * @throws {Problem} 400 for too many different designs, 404 for an unknown collection, 429, 503 when too many images wait
 */
export async function checkDesigns(
  deps: DesignDeps,
  rows: (DesignRow | undefined)[],
  client: Client,
  collection: string | undefined,
): Promise<(CheckedDesign | Problem | undefined)[]> {
  const chosen = bounded(await chooseDesigns(deps, rows, collection))
  const groups = Map.groupBy(chosen.filter(isToCheck), ({ key }) => key)
  requireFew(groups)
  const units = [...groups.values()].reduce((sum, { length }) => sum + Math.ceil(length / CODES_PER_UNIT), 0)
  if (units > 0) await client.charge('qr', units)
  const faults = new Map<ChosenRow, Problem>()
  await within({ ms: MAX_CHECK_MS, tooLate: tooSlow }, async (signal) => {
    for (const group of groups.values()) await checkGroup(deps, group, { client, signal, faults })
  })
  return chosen.map((row) => {
    if (row === undefined || row instanceof Problem) return row
    return faults.get(row) ?? ({ value: row.chosen } as CheckedDesign)
  })
}

type Choice = ChosenRow | Problem | undefined

/** Reads the looks that rows name, all at once. */
async function chooseDesigns(
  { collecting }: DesignDeps,
  rows: (DesignRow | undefined)[],
  collection: string | undefined,
): Promise<Choice[]> {
  const names = rows.map((row) => row && orProblem(() => lookOf(row.value)))
  const wanted = [...new Set(names.filter((name) => typeof name === 'string'))]
  const looks = wanted.length === 0 ? new Map<string, object>() : await looksOrProblem(collecting, collection, wanted)
  const choose = (row: DesignRow, name: string | undefined): Choice => {
    if (name === undefined) return { ...row, chosen: row.value, key: JSON.stringify(row.value) }
    const look = looks instanceof Problem ? looks : orProblem(() => lookIn(looks, name))
    return look instanceof Problem ? look : { ...row, chosen: look, key: `look ${name}` }
  }
  const chosen: Choice[] = []
  const pause = yieldEvery(SLICE_MS)
  for (const [at, row] of rows.entries()) {
    const name = names[at]
    chosen.push(row === undefined || name instanceof Problem ? (name as Problem | undefined) : choose(row, name))
    await pause()
  }
  return chosen
}

/** A request without a collection fails in the rows that name a look. */
async function looksOrProblem(
  collecting: DesignDeps['collecting'],
  collection: string | undefined,
  names: string[],
): Promise<Map<string, object> | Problem> {
  try {
    return await findLooks(collecting, collection, names)
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid_request') return error
    throw error
  }
}

/** Refuses the rows from the first one on with which the designs are too large together. */
function bounded(rows: Choice[]): Choice[] {
  const lengths = new Map<object, number>()
  const lengthOf = ({ key, chosen }: ChosenRow) => {
    if (!isLook(key)) return key.length
    const length = lengths.get(chosen as object) ?? JSON.stringify(chosen).length
    lengths.set(chosen as object, length)
    return length
  }
  let characters = 0
  return rows.map((row) => {
    if (row === undefined || row instanceof Problem) return row
    characters += lengthOf(row)
    return characters <= MAX_CHARACTERS ? row : tooLarge()
  })
}

/** JSON never begins like that. */
const isLook = (key: string) => key.startsWith('look ')

function isToCheck(row: Choice): row is ChosenRow {
  return row !== undefined && !(row instanceof Problem) && row.chosen !== null && !isOwn(row)
}

const isOwn = ({ chosen, present }: ChosenRow) => isDeepStrictEqual(chosen, present)

function requireFew(groups: ReadonlyMap<string, ChosenRow[]>): void {
  const inline = [...groups.keys()].filter((key) => !isLook(key))
  if (inline.length <= MAX_DESIGNS) return
  const detail = `must have at most ${MAX_DESIGNS} different designs in all rows, but has ${inline.length}`
  throw invalidRequest([{ pointer: '', detail }])
}

/** Notes which of the codes of one design cannot be scanned. */
async function checkGroup(
  { designs }: DesignDeps,
  rows: ChosenRow[],
  { client, signal, faults }: { client: Client; signal: AbortSignal; faults: Map<ChosenRow, Problem> },
): Promise<void> {
  const { origin, holder, onQueued } = client
  const codes = rows.map(({ code }) => code)
  const found = await designs
    .checkCodes(rows[0]?.chosen, { codes, origin }, { holder, onQueued, signal })
    .catch((error: unknown) => {
      if (error instanceof Problem && error.code !== 'unavailable') return rows.map(() => error)
      throw error
    })
  for (const [at, row] of rows.entries()) {
    const fault = found[at]
    if (fault !== undefined) faults.set(row, fault)
  }
}

function tooSlow(): Problem {
  const detail = 'the designs of these rows take too long to check now: send fewer rows, or later'
  return new Problem('unavailable', detail, { headers: { 'retry-after': '30' } })
}

function orProblem<T>(read: () => T): T | Problem {
  try {
    return read()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

function tooLarge(): Problem {
  const detail = `the designs of the rows up to this one have more than ${MAX_CHARACTERS} characters; send it in another request`
  return new Problem('body_too_large', detail)
}
