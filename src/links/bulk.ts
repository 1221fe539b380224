import { Problem, type FieldError } from '../http/problem.ts'
import { setImmediate as turn } from 'node:timers/promises'
import { createCharged, readDraft, Undone, type Asked, type LinkDeps } from './create.ts'
import type { Draft } from './draft.ts'
import { insertDrafts, type CreatedLink } from './insert.ts'

/** Rows of one request. */
export const MAX_ROWS = 500

/** Why a row made no link. */
export interface RowError {
  code: string
  detail: string
  /** The faults by field, as for a single creation; a pointer begins at the row. `detail` says when there are more. */
  errors: FieldError[]
}

/** What became of a row, which is known by its place in the request, counted from 0. */
export type RowResult = { index: number } & (CreatedLink | { error: RowError } | { valid: true })

/** What a bulk creation answers: a result for each row, in their order. */
export interface BulkResult {
  created: number
  failed: number
  results: RowResult[]
}

/** How a bulk creation is asked for. */
export interface BulkAsked extends Asked {
  /** All rows or none. */
  atomic: boolean
  /** Only find out what would become of the rows. */
  dryRun: boolean
}

/**
 * Creates a link from each row that is right, in one transaction; each row is judged as a single creation is. A row can
 * also be the problem that kept it from being read.
 * @throws {Problem} 400 when no link could be made, with the result of each row among its members
 */
export async function createBulk(deps: LinkDeps, rows: unknown[], asked: BulkAsked): Promise<BulkResult> {
  const drafts = await readRows(deps, rows)
  const right = drafts.filter((draft): draft is Draft => !(draft instanceof Problem))
  // A repetition gets the answer that it had, also when all its destinations were listed in the meantime.
  if (right.length === 0 && asked.repeatable === undefined) throw nothingCreated(drafts as Problem[])

  try {
    const result = await createCharged(deps, asked, async (creation) => {
      const made = (await insertDrafts(deps, creation, right, asked.origin)).values()
      const outcomes = drafts.map((draft) => (draft instanceof Problem ? draft : (made.next().value as Outcome)))
      const failed = outcomes.filter((outcome) => outcome instanceof Problem)
      if (asked.dryRun) throw new DryRun(outcomes)
      if (failed.length === outcomes.length || (asked.atomic && failed.length > 0)) throw nothingCreated(outcomes)
      return toResult(outcomes)
    })
    for (const row of result.results) if ('code' in row) deps.invalidate(row.code)
    return result
  } catch (error) {
    if (!(error instanceof DryRun)) throw error
    const { failed, results } = toResult(error.outcomes)
    return {
      created: 0,
      failed,
      results: results.map((row) => ('code' in row ? { index: row.index, valid: true } : row)),
    }
  }
}

type Outcome = CreatedLink | Problem

/** Rolls the transaction back, whatever would have come of it. */
class DryRun extends Undone {
  readonly outcomes: Outcome[]
  constructor(outcomes: Outcome[]) {
    super('a dry run keeps nothing')
    this.outcomes = outcomes
  }
}

/** How long visits may wait for rows to be read, in milliseconds: a row can hold 100 URLs. */
const SLICE_MS = 5

async function readRows(deps: LinkDeps, rows: unknown[]): Promise<(Draft | Problem)[]> {
  const drafts: (Draft | Problem)[] = []
  let began = performance.now()
  for (const row of rows) {
    drafts.push(readRow(deps, row))
    if (performance.now() - began < SLICE_MS) continue
    await turn()
    began = performance.now()
  }
  return drafts
}

function readRow(deps: LinkDeps, row: unknown): Draft | Problem {
  if (row instanceof Problem) return row
  try {
    return readDraft(deps, row)
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

/** So many errors are listed in one answer; each row that failed has one of them at least. */
const MAX_LISTED = 1_000

function toResult(outcomes: Outcome[]): BulkResult {
  const failed = outcomes.filter((outcome) => outcome instanceof Problem).length
  let further = MAX_LISTED - failed
  const results = outcomes.map((outcome, index): RowResult => {
    if (!(outcome instanceof Problem)) return { index, ...outcome }
    const { code, message: detail, errors } = outcome
    const listed = errors.slice(0, 1 + further)
    further -= Math.max(0, listed.length - 1)
    return { index, error: { code, detail, errors: listed } }
  })
  return { created: outcomes.length - failed, failed, results }
}

/** A right row fails as well when others keep the whole from being made. */
function nothingCreated(outcomes: Outcome[]): Problem {
  const row = outcomes.findIndex((outcome) => outcome instanceof Problem)
  const fault = outcomes[row] as Problem
  const kept = new Problem('nothing_created', `row ${row} is not right, and all rows or none were asked for`)
  return new Problem('nothing_created', `none of ${outcomes.length} rows; row ${row}: ${fault.message}`, {
    members: toResult(outcomes.map((outcome) => (outcome instanceof Problem ? outcome : kept))),
  })
}
