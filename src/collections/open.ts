import type { Transaction } from '#kysely'
import type { Database, Locking } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import { Problem } from '../http/problem.ts'
import { chargeAll, chargesRoom, refundFailed, runCharged } from '../lib/charged.ts'
import { createTurns } from '../lib/turns.ts'
import { rowResults, type RowResult } from '../links/bulk/row-results.ts'
import type { ChargeNotFound } from '../links/bulk/row-links.ts'
import type { Client } from '../links/client.ts'
import { codeKey, isCode } from '../links/code.ts'
import type { Designs } from '../links/design.ts'
import { createIdempotency, type IdempotentRequest } from '../links/idempotency/idempotency.ts'
import { unknownToken } from '../links/deleted.ts'
import type { Links } from '../links/open.ts'
import type { OnTrimmed, UrlPolicy } from '../links/url-policy.ts'
import { parseWebhook, type WebhookDetails, type WebhookDraft } from '../links/webhook.ts'
import { MAX_COLLECTIONS, MAX_LINKS } from './bounds.ts'
import { collectionFull, insertNew, lockOpen, requireCollection, type CreatedCollection } from './collecting.ts'
import { listCodes, listMembers, type ListDeps, type ListPage, type ListQuery } from './listing.ts'
import { checkLooks, openLooks, saveLooks, type LookChanges, type Looks } from './looks.ts'
import { findMemberIds, findMemberKeys, type MemberConditions, type MemberPart } from './listing-store.ts'
import type { Members } from './members.ts'
import { readOverview, type Overview } from './overview.ts'
import { findSheetLinks, findSheetPage, type SheetLink } from './sheet-store.ts'
import { rotateCollection } from './rotation.ts'
import type { Counting } from './totals.ts'
import * as store from './store.ts'
import { addWatched, createSetWebhook, type SetWebhook } from './set-webhook.ts'
import type { CollectionWebhooks } from './webhooks.ts'

/** The response to links that join: a result for each token, in their order. */
export interface JoinResult {
  added: number
  failed: number
  results: RowResult<{ code: string; added: boolean }>[]
}

/** Sets of links, each with one token of its own. */
export interface Collections extends Members, Looks {
  /**
   * Creates an empty collection, charged as the creation of a link. With an idempotent request a retry returns the first one.
   * @throws {Problem} 422 for a reused key, 429
   */
  create: (
    name: string | null,
    client: Pick<Client, 'charge' | 'chargeRoom'>,
    idempotentRequest: IdempotentRequest | undefined,
  ) => Promise<CreatedCollection>
  /**
   * Issues a token that replaces the collection's own once it is used, or an hour later; an earlier one that was not used is void.
   * With an idempotent request a retry gets the first response, and only then is it charged.
   * @throws {Problem} 404, 422 for a reused key, 429
   */
  rotate: (
    token: string,
    client: Pick<Client, 'charge' | 'chargeRoom'>,
    request: IdempotentRequest | undefined,
  ) => Promise<string>
  /** @throws {Problem} 404 when no collection has the token, as all of the following */
  find: (token: string) => Promise<store.Collection>
  /** What is counted of its links. */
  overview: (collection: store.Collection, counting: Counting) => Promise<Overview>
  /** A page of its links. */
  list: (collection: Pick<store.Collection, 'id'>, query: ListQuery, counting: Counting) => Promise<ListPage>
  /** The codes of all links that a list has on its pages. */
  listCodes: (
    collection: Pick<store.Collection, 'id'>,
    query: ListQuery,
    counting: Pick<Counting, 'turn'>,
  ) => Promise<string[]>
  /** Those of `membersAfter`, with what a spreadsheet shows of them. */
  sheetAfter: (part: Omit<MemberPart, 'now'>, conditions: MemberConditions) => Promise<SheetLink[]>
  /** The links of a collection that have these codes, by the keys of the codes. */
  sheetLinksOf: (collection: Pick<store.Collection, 'id'>, codeKeys: string[]) => Promise<Map<string, SheetLink>>
  /** Renames a collection, which is charged as a change, unless that is its name already. @throws {Problem} also 429 */
  rename: (
    token: string,
    name: string | null,
    client: Pick<Client, 'charge' | 'chargeRoom'>,
  ) => Promise<store.Collection>
  /**
   * Adds, changes and removes looks, all or none: see `checkLooks`. No link changes with them.
   * @throws {Problem} 400 when one cannot be scanned, or they are too many or too large
   */
  changeLooks: (token: string, looks: LookChanges, client: Client) => Promise<void>
  /** The webhook of a collection; null when it has none. */
  webhookOf: (collection: Pick<store.Collection, 'id'>) => Promise<WebhookDetails | null>
  /**
   * Validates the webhook in the body of a request; null removes it.
   * @throws {Problem} 400 for an invalid field, 422 when its URL is blocked
   */
  readWebhook: (webhook: unknown, onTrimmed: OnTrimmed) => WebhookDraft | null
  /**
   * Sets the webhook of a collection, or removes it with null: see `createSetWebhook`.
   * @throws {Problem} also 429, and 503 when too many wait
   */
  setWebhook: (
    token: string,
    draft: WebhookDraft | null,
    client: Pick<Client, 'charge' | 'chargeRoom' | 'holder'>,
  ) => ReturnType<SetWebhook>
  /** Ends a collection; its links stay. */
  remove: (token: string) => Promise<void>
  /**
   * Deletes the links of a collection, and then ends it. Whatever interrupts that, repeating it goes on.
   * @returns how many were deleted
   */
  removeWithLinks: (token: string) => Promise<number>
  /**
   * Adds the links of these tokens, each of which is charged as a change; one that is there already stays as it is.
   * @throws {Problem} 429 when the quota of changes has less left, and nothing was added
   */
  join: (
    token: string,
    linkTokens: string[],
    client: Pick<Client, 'charge' | 'chargeRoom'>,
    chargeNotFound: ChargeNotFound,
  ) => Promise<JoinResult>
  /** Takes a link out, which stays. @throws {Problem} 404 when it is not in the collection */
  leave: (token: string, code: string) => Promise<void>
}

interface Deps extends ListDeps, Pick<UrlPolicy, 'owns' | 'screen'> {
  db: Database
  links: Pick<Links, 'findManyByToken' | 'delete'>
  designs: Designs
  webhooks: CollectionWebhooks
}

/**
 * Collections of one network whose names are in memory at the same time; as many again of others, one each. Those of 10,000 links take
 * twenty turns, which the other requests of their network have as well.
 */
const GATHERED = 2

/** Bytes that keys and indexes of a collection take, about, and a link in it. */
const [COLLECTION_BYTES, MEMBER_BYTES] = [512, 128]

const bytesOfName = (name: string | null) => COLLECTION_BYTES + Buffer.byteLength(name ?? '')

export function openCollections(deps: Deps): Collections {
  const { db, now } = deps
  const members = openMembers(deps)
  const idempotency = createIdempotency(db, now)
  const setOne = createSetWebhook(deps)
  const find = (token: string) => requireCollection(deps, token, (id) => store.findCollection(db.read, id))
  return {
    async create(name, client, idempotentRequest) {
      const insert = (transaction: Transaction<Tables>) => insertNew(transaction, name, now())
      const charge = chargeAll([() => client.charge('links'), chargesRoom(client, () => bytesOfName(name))])
      const { response } = await runCharged(charge, (chargeOnce) =>
        idempotency.run(idempotentRequest, chargeOnce, insert),
      )
      return response
    },
    rotate: (token, client, request) => rotateCollection({ ...deps, idempotency }, token, client, request),
    find,
    overview: (collection, counting) => readOverview(members, counting, collection),
    list: ({ id }, query, counting) => listMembers(deps, counting, id, query),
    listCodes: ({ id }, query, counting) => listCodes(deps, counting, id, query),
    ...members,
    sheetAfter: (part, conditions) => findSheetPage(db.read, { ...part, now: now() }, conditions),
    sheetLinksOf: ({ id }, codeKeys) => findSheetLinks(db.read, id, { codeKeys, now: now() }),
    rename: (token, name, client) => rename(deps, token, name, client),
    ...openLooks(db),
    changeLooks: changeLooks.bind(null, deps),
    webhookOf: ({ id }) => deps.webhooks.of(id),
    readWebhook: (webhook, onTrimmed) =>
      webhook === null ? null : parseWebhook(webhook, { ...deps, onTrimmed }, deps.webhooks.enabled),
    setWebhook: async (token, draft, client) => setOne((await find(token)).id, draft, client),
    remove: (token) => remove(deps, token),
    async removeWithLinks(token) {
      const deleted = await deleteMembers(deps, token, await find(token))
      await remove(deps, token)
      return deleted
    },
    join: (token, linkTokens, client, chargeNotFound) => join(deps, { token, linkTokens, client, chargeNotFound }),
    leave: (token, code) => leave(deps, token, code),
  }
}

function rename(deps: Deps, token: string, name: string | null, client: Pick<Client, 'charge' | 'chargeRoom'>) {
  const charge = chargeAll([() => client.charge('changes'), chargesRoom(client, () => bytesOfName(name))])
  return refundFailed(charge, async (chargeOnce) => {
    const present = await requireCollection(deps, token, (id) => store.findCollection(deps.db.read, id))
    if (present.name === name) return present
    await chargeOnce()
    return requireCollection(deps, token, (id) => store.renameCollection(deps.db.write, id, name))
  })
}

async function leave(deps: Deps, token: string, code: string): Promise<void> {
  const { id } = await requireCollection(deps, token, (found) => store.findCollection(deps.db.read, found))
  const named = { codeKey: codeKey(code), now: deps.now() }
  const linkId = isCode(code) ? await store.findMemberByCode(deps.db.read, id, named) : undefined
  if (linkId !== undefined && (await store.deleteMember(deps.db.write, id, linkId))) return
  throw new Problem('unknown_code', 'the collection has no link with this code')
}

async function remove(deps: Deps, token: string): Promise<void> {
  const { id } = await requireCollection(deps, token, (found) => store.findCollection(deps.db.read, found))
  // As a deletion of links, it gives room back.
  await deps.db.urgent('takedown', async (transaction) => {
    await store.deleteCollection(transaction, id)
    await deps.webhooks.delete(transaction, id)
  })
}

/** Links that are deleted at the same time: they share commits. */
const DELETED_AT_ONCE = 50
/** Rounds in which nothing could be deleted: what is left cannot be. */
const MAX_FRUITLESS = 5

/** What says that a link is deleted, or in the collection no more. */
const goneCodes: ReadonlySet<string> = new Set(['collection_not_found', 'link_deleted'])

/** Deletes the links of a collection until none is left, also such as join meanwhile. */
async function deleteMembers({ db, links, now }: Deps, token: string, { id }: store.Collection): Promise<number> {
  let [deleted, fruitless] = [0, 0]
  for (;;) {
    const codes = await store.findCodes(db.read, id, { now: now(), limit: DELETED_AT_ONCE })
    if (codes.length === 0) return deleted
    const outcomes = await Promise.allSettled(
      codes.map((code) => links.delete({ collectionToken: token, code }, undefined)),
    )
    // What another request has deleted, or taken out, is not there any more.
    const failed = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
    const grave = failed.find((error) => !(error instanceof Problem && goneCodes.has(error.code)))
    if (grave !== undefined) throw grave
    fruitless = failed.length === outcomes.length ? fruitless + 1 : 0
    // Others may delete the same links meanwhile, but not so often.
    if (fruitless === MAX_FRUITLESS) throw failed[0]
    deleted += outcomes.length - failed.length
  }
}

async function changeLooks(deps: Deps, token: string, looks: LookChanges, client: Client): Promise<void> {
  const { id } = await requireCollection(deps, token, (found) => store.findCollection(deps.db.read, found))
  await checkLooks(deps, id, looks, client)
  await deps.db.transaction(async (transaction) => {
    await lockOpen(transaction, id)
    await saveLooks(transaction, id, looks)
  })
}

interface Join {
  token: string
  linkTokens: string[]
  client: Pick<Client, 'charge' | 'chargeRoom'>
  chargeNotFound: ChargeNotFound
}

async function join(deps: Deps, { token, linkTokens, client, chargeNotFound }: Join): Promise<JoinResult> {
  const { db, links } = deps
  // A stranger learns nothing of tokens by a collection that does not exist.
  const { id: collectionId } = await requireCollection(deps, token, (id) => store.findCollection(db.read, id))
  const named = await links.findManyByToken(linkTokens, chargeNotFound)
  const ids = [...new Set(named.flatMap((link) => (link instanceof Problem ? [] : [link.id])))]
  const charge = chargeAll([
    () => client.charge('changes', ids.length),
    chargesRoom(client, () => ids.length * MEMBER_BYTES),
  ])
  const joined = await refundFailed(charge, async (chargeOnce) => {
    if (ids.length > 0) await chargeOnce()
    return addAll(deps, collectionId, ids)
  })
  const outcomes = named.map((link) => (link instanceof Problem ? link : outcomeOf(link, joined)))
  const { failed, results } = rowResults(outcomes)
  return { added: joined.added.size, failed, results }
}

/** What became of links that were to join. */
interface Joined {
  added: Set<number>
  /** Those that were there. */
  already: Set<number>
  /** Those of the others that exist; the rest was deleted meanwhile. */
  existing: Set<number>
}

function outcomeOf({ id, code }: { id: number; code: string }, { added, already, existing }: Joined) {
  if (added.has(id)) return { code, added: true }
  if (already.has(id)) return { code, added: false }
  if (!existing.has(id)) return unknownToken()
  return collectionFull()
}

/** Adds links to a collection, and has what is told to its webhook watched. */
async function addAll(deps: Deps, collectionId: string, linkIds: number[]): Promise<Joined> {
  const { db, now } = deps
  const joined = await addWatched(deps, collectionId, linkIds, (transaction) =>
    addLinks(transaction, db.kept, { collectionId, linkIds, now: now() }),
  )
  // Neither knew of the other when links joined another collection at the same moment: the later one does now.
  await store.endOldest(db.write, [...joined.added], { most: MAX_COLLECTIONS, except: collectionId })
  return joined
}

/** Adds links to a locked collection, as many as fit; each leaves its oldest collection for an eleventh. */
async function addLinks(
  transaction: Transaction<Tables>,
  kept: Locking,
  { collectionId, linkIds, now }: { collectionId: string; linkIds: number[]; now: number },
): Promise<Joined> {
  if (linkIds.length === 0) return { added: new Set(), already: new Set(), existing: new Set() }
  const already = await store.findMembers(transaction, collectionId, linkIds)
  const others = linkIds.filter((id) => !already.has(id))
  const existing = await store.keepLinks(transaction, kept, others)
  const room = MAX_LINKS - (await store.countMembers(transaction, collectionId))
  const adding = others.filter((id) => existing.has(id)).slice(0, room)
  await store.insertMembers(transaction, { collectionId, linkIds: adding, now })
  await store.endOldest(transaction, adding, { most: MAX_COLLECTIONS, except: collectionId })
  return { added: new Set(adding), already, existing }
}

function openMembers({ db, now }: Pick<Deps, 'db' | 'now'>): Members {
  // The queues of requests bound how many wait.
  const bounds = { waiting: Infinity, concurrent: GATHERED, hasPlacesForOthers: true }
  const { run } = createTurns(bounds, () => new Error('unreachable'))
  return {
    idsAfter: (part, conditions) => findMemberIds(db.read, { ...part, now: now() }, conditions),
    membersAfter: (part, conditions) => findMemberKeys(db.read, { ...part, now: now() }, conditions),
    gather: run,
  }
}
