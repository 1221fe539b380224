import { asObject } from '../http/body.ts'
import { Problem } from '../http/problem.ts'
import { refundFailed, runCharged, type Charge } from '../lib/charged.ts'
import { RESPONSE_BYTES, type Client } from './client.ts'
import type { LinkDeps } from './deps.ts'
import { parseDraft, type Draft } from './draft.ts'
import type { IdempotentRequest } from './idempotency/idempotency.ts'
import { checkDesign } from './check-design.ts'
import {
  aliasError,
  freeCodes,
  hashDraft,
  insertDraft,
  insertDrafts,
  type CreatedLink,
  type Creation,
  type HashedDraft,
} from './insert.ts'
import { noteScreening, type ScreenAgain } from './screened.ts'
import { isWorking } from './token-look-up.ts'
import type { OnTrimmed, UrlPolicy } from './url-policy.ts'
import { parseWebhook, type WebhookDetails, type WebhookDraft } from './webhook.ts'

/** Options of a creation. */
export interface CreationOptions {
  /** When absent, a retry creates another link. */
  idempotentRequest?: IdempotentRequest | undefined
  /** The token of the collection that the links join. */
  collection?: string | undefined
}

/** Options of the creation of one link. */
export interface LinkOptions extends CreationOptions {
  /** Whether a retry whose link was deleted since creates another one. */
  recreates?: boolean
  onTrimmed?: OnTrimmed | undefined
}

/**
 * Creates a link from the body of a request, once that is valid and charged as a creation.
 * @throws {Problem} 400 for an invalid field, 409 for a taken or reserved alias, 422 for a blocked destination or a reused key,
 * 404 for an unknown collection, 429 when a quota is used up, 503 when too many images or passwords wait
 */
export async function createLink(
  deps: LinkDeps,
  body: unknown,
  client: Client,
  { idempotentRequest, collection, recreates = false, onTrimmed }: LinkOptions = {},
): Promise<CreatedLink> {
  const reading = { ...deps, onTrimmed }
  const screenAgain = noteScreening(deps)
  const draft = idempotentRequest === undefined ? readDraft(reading, body) : readIdempotentDraft(reading, body)
  const isAlone = idempotentRequest === undefined && collection === undefined
  const isStatement =
    isAlone && !(draft instanceof Problem) && draft.webhook === undefined && draft.design === undefined
  const created = isStatement
    ? await createByStatement(deps, draft, client, screenAgain)
    : await createInTransaction(deps, draft, client, { idempotentRequest, collection, screenAgain })
  deps.invalidate(created.code)
  const isDeleted = recreates && idempotentRequest !== undefined && !(await isWorking(deps, created.token))
  return isDeleted ? createLink(deps, body, client, { collection, onTrimmed }) : created
}

/** One statement creates the link: it needs no transaction. */
function createByStatement(
  deps: LinkDeps,
  draft: Draft,
  client: Client,
  screenAgain: ScreenAgain,
): Promise<CreatedLink> {
  return refundFailed(
    () => client.charge('links'),
    async (chargeOnce) => {
      await chargeOnce()
      const hashed = await hashDraft(deps.passwords, draft, client.holder)
      requireAllowed(hashed, screenAgain)
      await client.chargeRoom(() => roomOf([hashed]))
      return insertDraft(deps, hashed, client.origin)
    },
  )
}

function createInTransaction(
  deps: LinkDeps,
  draft: Draft | Problem,
  client: Client,
  { idempotentRequest, collection, screenAgain }: CreationOptions & { screenAgain: ScreenAgain },
): Promise<CreatedLink> {
  let ready: HashedDraft | undefined
  const prepare = async () => {
    if (draft instanceof Problem) throw draft
    if (ready !== undefined) return
    const prepared = await prepareDraft(deps, draft, client, collection)
    await client.chargeRoom(() => roomOf([prepared], idempotentRequest))
    ready = prepared
  }
  const charge = () => client.charge('links')
  return createCharged(deps, { charge, idempotentRequest, prepare }, async (creation) => {
    const drafts = ready === undefined ? [] : [ready]
    for (const each of drafts) requireAllowed(each, screenAgain)
    const insert = () => insertDrafts(deps, creation, drafts, client.origin)
    const [created] = await collected(deps, creation, { collection, count: 1 }, insert)
    if (created === undefined || created instanceof Problem) throw created ?? new Error('a draft has no result')
    const { webhook, checked } = ready ?? {}
    return {
      ...created,
      ...(checked !== undefined && { design: checked.design }),
      ...(webhook !== undefined && { webhook: await createWebhook(deps, creation, webhook) }),
    }
  })
}

/** Bytes that keys and indexes of a link take, about. */
const LINK_BYTES = 512

/** Bytes that drafts take in the store, about, and with them the response where it is stored for retries. */
export function roomOf(drafts: HashedDraft[], idempotentRequest?: IdempotentRequest): number {
  const isKept = idempotentRequest !== undefined
  // Of a design, that which was checked is stored, and not what the request has.
  const stored = drafts.map((draft) => Buffer.byteLength(JSON.stringify({ ...draft, design: undefined })))
  return stored.reduce((sum, bytes) => sum + bytes + LINK_BYTES + (isKept ? bytes + RESPONSE_BYTES : 0), 0)
}

/** @throws {Problem} 422 when a URL was blocked since it was screened */
function requireAllowed(draft: HashedDraft, screenAgain: ScreenAgain): void {
  const problem = screenAgain(draft)
  if (problem !== undefined) throw problem
}

/** Checks a design on the code that the link is to have, and then hashes the password, which takes longer. */
async function prepareDraft(
  deps: LinkDeps,
  draft: Draft,
  client: Client,
  collection: string | undefined,
): Promise<HashedDraft> {
  const code = draft.alias ?? (draft.design === undefined ? '' : ((await freeCodes(deps, 1))[0] ?? ''))
  const checked = await checkDesign(deps, { code, design: undefined }, draft.design, client, collection)
  const hashed = await hashDraft(deps.passwords, draft, client.holder)
  const design = checked?.value
  return design === undefined || design === null ? hashed : { ...hashed, checked: { code, design } }
}

/** Creates links in a collection, where one is named: it is found before anything is created. */
export async function collected<T>(
  { collecting }: Pick<LinkDeps, 'collecting'>,
  { transaction, ids }: Creation,
  { collection, count }: { collection: string | undefined; count: number },
  create: () => Promise<T>,
): Promise<T> {
  if (collection === undefined) return create()
  const add = await collecting.open(transaction, collection, count)
  const created = await create()
  await add(ids)
  return created
}

async function createWebhook({ webhooks }: LinkDeps, { transaction, ids }: Creation, draft: WebhookDraft) {
  const saved = await webhooks.save(transaction, ids[0] as number, { draft, milestone: 0 })
  const { url, events, secret = '' } = saved as WebhookDetails
  return { url, events, secret }
}

/** A retry gets its first response, even if the destination has been blocked in the meantime. */
function readIdempotentDraft(deps: ReadingDeps, body: unknown): Draft | Problem {
  try {
    return readDraft(deps, body)
  } catch (error) {
    if (error instanceof Problem && error.code === 'target_blocked') return error
    throw error
  }
}

/** What a creation is read with. */
export type ReadingDeps = LinkDeps & Pick<UrlPolicy, 'onTrimmed'>

/**
 * Reads and validates the body of a creation.
 * @throws {Problem} when it is invalid, or its alias is reserved
 */
export function readDraft(deps: ReadingDeps, body: unknown): Draft {
  const draft = parseDraft(body, deps)
  if (draft.alias !== undefined && deps.isReserved(draft.alias)) {
    throw new Problem('alias_reserved', `the alias ${draft.alias} is reserved`, aliasError('reserved'))
  }
  const { webhook, design } = asObject(body)
  return {
    ...draft,
    ...(design !== undefined && { design }),
    ...(webhook !== undefined && { webhook: parseWebhook(webhook, deps, deps.webhooks.enabled) }),
  }
}

/**
 * Runs a creation, or returns the response of an earlier one; refunds a retry, and a creation that fails.
 * @param options `prepare` is called before the transaction, and not for a retry
 */
export async function createCharged<T>(
  deps: Pick<LinkDeps, 'idempotency' | 'ids'>,
  { charge, idempotentRequest, prepare }: CreationOptions & { charge: Charge; prepare?: () => Promise<void> },
  create: (creation: Creation) => Promise<T>,
): Promise<T> {
  let ids: number[] = []
  const { response, isRetry } = await runCharged(charge, (chargeOnce) => {
    const prepareAll = async () => {
      await chargeOnce()
      await prepare?.()
    }
    return deps.idempotency.run(idempotentRequest, prepareAll, (transaction) => {
      // An attempt that was rolled back has used none.
      ids = []
      return create({ transaction, ids })
    })
  })
  if (!isRetry) ids.forEach(deps.ids.markUsed)
  return response
}
