import { isObject } from '../../http/body.ts'
import { invalidRequest, Problem } from '../../http/problem.ts'
import { yieldEvery } from '../../lib/yield-every.ts'
import { ChargedRollback, type Charge, type Refund } from '../../lib/charged.ts'
import type { Client } from '../client.ts'
import { collected, createCharged, readDraft, roomOf, type CreationOptions, type ReadingDeps } from '../create.ts'
import type { LinkDeps, NewCollection } from '../deps.ts'
import { insertDrafts, withoutPassword, type CreatedLink, type Creation, type HashedDraft } from '../insert.ts'
import type { OnTrimmedIn } from '../url-policy.ts'
import { isDraft, withCheckedDesigns } from './row-designs.ts'
import { noteScreening, screenRowsAgain } from '../screened.ts'
import { noneOf, rowResults, type RowResult } from './row-results.ts'

/** Rows of one request. */
export const MAX_ROWS = 500

/** The response to a bulk creation: a result for each row, in their order. */
export interface BulkResult {
  created: number
  failed: number
  results: RowResult<CreatedLink | { valid: true }>[]
  /** The collection that was created with the links. */
  collection?: NewCollection
}

/** Options of a bulk creation. */
export interface BulkOptions extends CreationOptions {
  onTrimmedIn?: OnTrimmedIn | undefined
  /** Create a collection of the links, too, when there are several: charged as the creation of one link. */
  newCollection?: { name: string | null } | undefined
  /** Create all rows or none. */
  atomic: boolean
  /** Only validate the rows. */
  dryRun: boolean
  /** Charge a retry as well: the images of its links are drawn again. */
  drawsImages?: boolean
}

/**
 * Creates a link from each valid row, in one transaction; each row is validated as a single creation is. A row can also be
 * a problem: the reason why it could not be parsed.
 * @throws {Problem} 400 when no link could be created, with the result of each row among its members
 */
export async function createBulk(
  deps: LinkDeps,
  rows: unknown[],
  client: Client,
  options: BulkOptions,
): Promise<BulkResult> {
  const screenAgain = noteScreening(deps)
  const drafts = await readRows(deps, rows, options.onTrimmedIn)
  const valid = drafts.filter(isDraft)
  // A retry gets its first response, even if all its destinations have been blocked in the meantime.
  if (valid.length === 0 && options.idempotentRequest === undefined) throw nothingCreated(drafts as Problem[])

  const chosen = valid.filter(({ alias }) => alias !== undefined).length
  const isCollected = options.newCollection !== undefined && valid.length > 1
  const units = options.dryRun ? {} : { aliases: chosen, links: isCollected ? 1 : 0 }
  const { charge, refund, settle } = chargesOf(client, units, options)
  let ready: Promise<(HashedDraft | Problem)[]> | undefined
  const prepare = async () => void (await (ready ??= prepareRows(deps, drafts, client, options)))
  try {
    const result = await createCharged(deps, { ...options, charge, prepare }, async (creation) => {
      const checked = await screenRowsAgain((await ready) ?? [], screenAgain)
      const scannable = checked.filter(isDraft)
      const insert = () => insertDrafts(deps, creation, scannable, client.origin)
      const into = { collection: options.collection, count: scannable.length }
      const created = (await collected(deps, creation, into, insert)).values()
      const outcomes = checked.map((draft) => (draft instanceof Problem ? draft : (created.next().value as Outcome)))
      const failed = outcomes.filter((outcome) => outcome instanceof Problem)
      if (options.dryRun) throw new DryRun(outcomes)
      if (failed.length === outcomes.length || (options.atomic && failed.length > 0)) {
        throw chosen > 0 ? new NoneCreated(outcomes) : nothingCreated(outcomes)
      }
      return { ...toResult(outcomes), ...(await collectNew(deps, creation, options)) }
    })
    await settle(result)
    return invalidated(deps, result)
  } catch (error) {
    if (error instanceof DryRun) return dryRunResult(error)
    if (!(error instanceof NoneCreated)) throw error
    await refund('aliases', 'links')
    throw nothingCreated(error.outcomes)
  }
}

/** Checks the designs of rows, and charges what they are going to store. */
async function prepareRows(
  deps: LinkDeps,
  drafts: (HashedDraft | Problem)[],
  client: Client,
  { collection, dryRun, idempotentRequest }: BulkOptions,
): Promise<(HashedDraft | Problem)[]> {
  const prepared = await withCheckedDesigns(deps, drafts, client, collection)
  if (!dryRun) await client.chargeRoom(() => roomOf(prepared.filter(isDraft), idempotentRequest))
  return prepared
}

function invalidated({ invalidate }: Pick<LinkDeps, 'invalidate'>, result: BulkResult): BulkResult {
  for (const row of result.results) if ('code' in row) invalidate(row.code)
  return result
}

/** Creates the collection of the links that were created. */
async function collectNew(
  { collecting }: Pick<LinkDeps, 'collecting'>,
  { transaction, ids }: Creation,
  { newCollection }: BulkOptions,
): Promise<Pick<BulkResult, 'collection'>> {
  if (newCollection === undefined || ids.length < 2) return {}
  return { collection: await collecting.create(transaction, newCollection.name, ids) }
}

type Units = Partial<Record<'aliases' | 'links', number>>

/**
 * Charges the codes that the valid rows choose, as those stay taken for ever, also when their links are deleted; the collection;
 * and the request.
 */
function chargesOf(
  client: Client,
  { aliases = 0, links = 0 }: Units,
  { drawsImages = false, dryRun }: BulkOptions,
): {
  charge: Charge
  refund: (...names: (keyof Units)[]) => Promise<void>
  settle: (result: BulkResult) => Promise<void>
} {
  const refunds = new Map<keyof Units | 'bulk', Refund>()
  const refund = async (...names: (keyof Units | 'bulk')[]) => {
    for (const name of names) {
      const refundOne = refunds.get(name)
      refunds.delete(name)
      await refundOne?.()
    }
  }
  const refundAll = () => refund('aliases', 'links', 'bulk')
  // A retry was charged for nothing; its images are drawn again all the same.
  const settle = async ({ collection }: BulkResult) => {
    if (drawsImages && !dryRun && !refunds.has('bulk')) await client.charge('bulk')
    if (collection === undefined) await refund('links')
  }
  const charge = async () => {
    try {
      if (aliases > 0) refunds.set('aliases', await client.charge('aliases', aliases))
      if (links > 0) refunds.set('links', await client.charge('links', links))
      refunds.set('bulk', await client.charge('bulk'))
    } catch (error) {
      await refundAll()
      throw error
    }
    return refundAll
  }
  return { charge, refund, settle }
}

type Outcome = CreatedLink | Problem

/** Rolls the transaction back, even when every row is valid. */
class DryRun extends ChargedRollback {
  readonly outcomes: Outcome[]
  constructor(outcomes: Outcome[]) {
    super('a dry run creates nothing')
    this.outcomes = outcomes
  }
}

/** Rolls back a request that tells which codes are taken: it is charged as a dry run is, or strangers could look up any number. */
class NoneCreated extends ChargedRollback {
  readonly outcomes: Outcome[]
  constructor(outcomes: Outcome[]) {
    super('no link was created')
    this.outcomes = outcomes
  }
}

function dryRunResult({ outcomes }: DryRun): BulkResult {
  const { failed, results } = toResult(outcomes)
  return {
    created: 0,
    failed,
    results: results.map((row) => ('code' in row ? { index: row.index, valid: true } : row)),
  }
}

/** How long visits may wait while rows are validated, in milliseconds: a row can hold 100 URLs. */
const SLICE_MS = 5

async function readRows(
  deps: LinkDeps,
  rows: unknown[],
  onTrimmedIn?: OnTrimmedIn,
): Promise<(HashedDraft | Problem)[]> {
  const drafts: (HashedDraft | Problem)[] = []
  const pause = yieldEvery(SLICE_MS)
  for (const [at, row] of rows.entries()) {
    drafts.push(readRow({ ...deps, onTrimmed: onTrimmedIn?.(at) }, row))
    await pause()
  }
  return drafts
}

const noWebhook = { pointer: '/webhook', detail: 'cannot be set in bulk; set it by a change of the link' }

function readRow(deps: ReadingDeps, row: unknown): HashedDraft | Problem {
  if (row instanceof Problem) return row
  try {
    if (isObject(row) && row['webhook'] !== undefined) throw invalidRequest([noWebhook])
    return withoutPassword(readDraft(deps, row))
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

function toResult(outcomes: Outcome[]): BulkResult {
  const { failed, results } = rowResults(outcomes)
  return { created: outcomes.length - failed, failed, results }
}

function nothingCreated(outcomes: Outcome[]): Problem {
  return noneOf('nothing_created', outcomes, toResult)
}
