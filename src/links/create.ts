import type { FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import type { Database } from '../db/database.ts'
import { asObject } from '../http/body.ts'
import { Problem } from '../http/problem.ts'
import type { IsReserved } from './code.ts'
import { parseDraft, type Draft } from './draft.ts'
import type { Idempotency, IdempotentRequest } from './idempotency/idempotency.ts'
import type { LinkIds } from './ids.ts'
import { aliasError, insertDraft, insertDrafts, type CreatedLink, type Creation } from './insert.ts'
import { runCharged, type Charge } from './charged.ts'
import { hashDraft, type HashedDraft, type HashPassword } from './password/new-password.ts'
import type { OnTrimmed, UrlPolicy } from './url-policy.ts'
import { parseWebhook, type LinkWebhooks, type WebhookDetails, type WebhookDraft } from './webhook.ts'
import type { Holder } from '../lib/holder.ts'

/** What creations need of the rest of the program. */
export interface LinkDeps extends UrlPolicy {
  db: Database
  ids: LinkIds
  now: () => number
  isReserved: IsReserved
  idempotency: Idempotency
  webhooks: Pick<LinkWebhooks, 'enabled' | 'save'>
  /** Invalidates the cached link of a code: called after its creation, before the response. */
  invalidate: (code: string) => void
}

/** The client's quotas, as creations use them. */
export interface CreationLimits {
  /** Charges a creation, or an image that is about to be drawn; see `Charge`. */
  charge: (
    request: FastifyRequest,
    reply: FastifyReply,
    name: 'links' | 'changes' | 'bulk' | 'aliases' | 'qr',
    units?: number,
  ) => ReturnType<Charge>
  /** Charges an unknown code; returns the problem to send instead when the quota is used up. */
  chargeNotFound: (request: FastifyRequest, reply: FastifyReply) => Promise<Problem | undefined>
  /** Who a request counts for in pools and queues; to be kept no longer than the request lasts. */
  holderOf: (request: FastifyRequest) => Holder
  /** Hooks for a route that creates; `isFree` lets a request pass although the quota of failures is used up. */
  creation: (
    name: 'links' | 'bulk',
    isFree?: (request: FastifyRequest) => Promise<boolean>,
  ) => Pick<RouteShorthandOptions, 'onRequest' | 'onSend'>
}

/** Options of a creation. */
export interface CreationOptions {
  /** The origin of the URLs in the response. */
  origin: string
  charge: Charge
  idempotentRequest: IdempotentRequest | undefined
}

/** Options of the creation of one link. */
export interface LinkOptions extends CreationOptions {
  /** Called once the rest of the request is valid and charged; when absent, the link cannot have a password. */
  hashPassword?: HashPassword
  onTrimmed?: OnTrimmed | undefined
}

/**
 * Creates a link from the body of a request.
 * @throws {Problem} 400 for an invalid field, 409 for a taken or reserved alias, 422 for a blocked destination or a reused key
 */
export async function createLink(deps: LinkDeps, body: unknown, options: LinkOptions): Promise<CreatedLink> {
  const reading = { ...deps, onTrimmed: options.onTrimmed }
  const draft = options.idempotentRequest === undefined ? readDraft(reading, body) : readIdempotentDraft(reading, body)
  const isStatement =
    options.idempotentRequest === undefined && !(draft instanceof Problem) && draft.webhook === undefined
  const created = isStatement
    ? await createByStatement(deps, draft, options)
    : await createInTransaction(deps, draft, options)
  deps.invalidate(created.code)
  return created
}

/** One statement creates the link: it needs no transaction. */
async function createByStatement(deps: LinkDeps, draft: Draft, options: LinkOptions): Promise<CreatedLink> {
  const refund = await options.charge()
  try {
    return await insertDraft(deps, await hashDraft(draft, options.hashPassword), options.origin)
  } catch (error) {
    await refund()
    throw error
  }
}

function createInTransaction(deps: LinkDeps, draft: Draft | Problem, options: LinkOptions): Promise<CreatedLink> {
  let ready: HashedDraft | undefined
  const prepare = async () => {
    if (draft instanceof Problem) throw draft
    ready ??= await hashDraft(draft, options.hashPassword)
  }
  return createCharged(deps, { ...options, prepare }, async (creation) => {
    const [created] = await insertDrafts(deps, creation, ready === undefined ? [] : [ready], options.origin)
    if (created === undefined || created instanceof Problem) throw created ?? new Error('a draft has no result')
    const webhook = ready?.webhook
    return webhook === undefined ? created : { ...created, webhook: await createWebhook(deps, creation, webhook) }
  })
}

async function createWebhook({ webhooks }: LinkDeps, { transaction, ids }: Creation, draft: WebhookDraft) {
  const saved = await webhooks.save(transaction, ids[0] as number, { draft, milestone: 0 })
  const { url, events, secret = '' } = saved as WebhookDetails
  return { url, events, secret }
}

/** A retry gets its first response, even if the destination has been blocked in the meantime. */
function readIdempotentDraft(deps: LinkDeps, body: unknown): Draft | Problem {
  try {
    return readDraft(deps, body)
  } catch (error) {
    if (error instanceof Problem && error.code === 'target_blocked') return error
    throw error
  }
}

/**
 * Reads and validates the body of a creation.
 * @throws {Problem} when it is invalid, or its alias is reserved
 */
export function readDraft(deps: LinkDeps, body: unknown): Draft {
  const draft = parseDraft(body, deps)
  if (draft.alias !== undefined && deps.isReserved(draft.alias)) {
    throw new Problem('alias_reserved', `the alias ${draft.alias} is reserved`, aliasError('reserved'))
  }
  const { webhook } = asObject(body)
  return webhook === undefined ? draft : { ...draft, webhook: parseWebhook(webhook, deps, deps.webhooks.enabled) }
}

/**
 * Runs a creation, or returns the response of an earlier one; refunds a retry, and a creation that fails.
 * @param options `prepare` is called before the transaction, and not for a retry
 */
export async function createCharged<T>(
  deps: Pick<LinkDeps, 'idempotency' | 'ids'>,
  { charge, idempotentRequest, prepare }: Omit<CreationOptions, 'origin'> & { prepare?: () => Promise<void> },
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
