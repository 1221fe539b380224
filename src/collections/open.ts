import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Transaction } from '#kysely'
import type { Database } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import { Problem } from '../http/problem.ts'
import { refundFailed, runCharged } from '../lib/charged.ts'
import { randomSlice } from '../lib/random-slice.ts'
import { hashToken } from '../lib/token.ts'
import { rowResults, type RowResult } from '../links/bulk/row-results.ts'
import type { ChargeNotFound } from '../links/bulk/row-links.ts'
import type { Client } from '../links/client.ts'
import { codeKey } from '../links/code.ts'
import { createIdempotency, type IdempotentRequest } from '../links/idempotency/idempotency.ts'
import { unknownToken } from '../links/look-up.ts'
import type { Links } from '../links/open.ts'
import { MAX_COLLECTIONS, MAX_LINKS } from './bounds.ts'
import { collectionFull, requireCollection } from './collecting.ts'
import { memberIdsAfter, membersAfter, type Member, type MemberPage } from './members-store.ts'
import * as store from './store.ts'
import { newCollectionToken } from '../lib/collection-token.ts'

/** A collection and how many links are in it. */
export interface CountedCollection extends store.Collection {
  links: number
}

/** A collection, and its token, which is not stored. */
export interface CreatedCollection {
  collection: store.Collection
  token: string
}

/** The response to links that join: a result for each token, in their order. */
export interface JoinResult {
  added: number
  failed: number
  results: RowResult<{ code: string; added: boolean }>[]
}

/** Sets of links, each with one token of its own. */
export interface Collections {
  /**
   * Creates an empty collection, charged as the creation of a link. With an idempotent request a retry returns the first one.
   * @throws {Problem} 422 for a reused key, 429
   */
  create: (
    name: string | null,
    client: Pick<Client, 'charge'>,
    idempotentRequest: IdempotentRequest | undefined,
  ) => Promise<CreatedCollection>
  /** @throws {Problem} 404 when no collection has the token, as all of the following */
  find: (token: string) => Promise<CountedCollection>
  /** The ids of the links that the holder of a collection's token owns by it, in ascending order. */
  linkIds: (collection: Pick<store.Collection, 'id'>) => Promise<number[]>
  /** A page of these links, by their ids. */
  membersAfter: (collection: Pick<store.Collection, 'id'>, page: Omit<MemberPage, 'now'>) => Promise<Member[]>
  rename: (token: string, name: string | null) => Promise<CountedCollection>
  /** Ends a collection; its links stay. */
  remove: (token: string) => Promise<void>
  /**
   * Adds the links of these tokens, each of which is charged as a change; one that is there already stays as it is.
   * @throws {Problem} 429 when the quota of changes has less left, and nothing was added
   */
  join: (
    token: string,
    linkTokens: string[],
    client: Pick<Client, 'charge'>,
    chargeNotFound: ChargeNotFound,
  ) => Promise<JoinResult>
  /** Takes a link out, which stays. @throws {Problem} 404 when it is not in the collection */
  leave: (token: string, code: string) => Promise<void>
}

interface Deps {
  db: Database
  links: Pick<Links, 'findManyByToken'>
  now: () => number
}

export function openCollections(deps: Deps): Collections {
  const { db, now } = deps
  const idempotency = createIdempotency(db, now)
  return {
    async create(name, client, idempotentRequest) {
      const insert = async (transaction: Transaction<Tables>) => {
        const collection = { id: randomSlice(8).toString('hex'), name, createdAt: now() }
        const token = newCollectionToken()
        await store.insertCollection(transaction, collection, hashToken(token))
        return { collection, token }
      }
      const { response } = await runCharged(
        () => client.charge('links'),
        (chargeOnce) => idempotency.run(idempotentRequest, chargeOnce, insert),
      )
      return response
    },
    find: async (token) => counted(deps, await requireCollection(token, (hash) => store.findCollection(db.read, hash))),
    linkIds: ({ id }) => readMemberIds(deps, id),
    membersAfter: ({ id }, page) => membersAfter(db.read, id, { ...page, now: now() }),
    rename: async (token, name) =>
      counted(deps, await requireCollection(token, (hash) => store.renameCollection(db.write, hash, name))),
    async remove(token) {
      await db.transaction(async (transaction) => {
        const { id } = await requireCollection(token, (hash) => store.lockCollection(transaction, hash))
        await store.deleteCollection(transaction, id)
      })
    },
    join: (token, linkTokens, client, chargeNotFound) => join(deps, { token, linkTokens, client, chargeNotFound }),
    async leave(token, code) {
      const { id } = await requireCollection(token, (hash) => store.findCollection(db.read, hash))
      const linkId = await store.findMemberByCode(db.read, id, { codeKey: codeKey(code), now: now() })
      if (linkId !== undefined && (await store.deleteMember(db.write, id, linkId))) return
      throw new Problem('unknown_code', 'the collection has no link with this code')
    },
  }
}

async function counted(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  collection: store.Collection,
): Promise<CountedCollection> {
  return { ...collection, links: await store.countLinks(db.read, collection.id, now()) }
}

/** Rows of one statement: the event loop runs between two of them. */
const PAGE = 1000

async function readMemberIds({ db, now }: Pick<Deps, 'db' | 'now'>, id: string): Promise<number[]> {
  const ids: number[] = []
  for (let after = 0; ; after = ids.at(-1) ?? after, await yieldToEventLoop()) {
    const page = await memberIdsAfter(db.read, id, { after, limit: PAGE, now: now() })
    ids.push(...page)
    if (page.length < PAGE) return ids
  }
}

interface Join {
  token: string
  linkTokens: string[]
  client: Pick<Client, 'charge'>
  chargeNotFound: ChargeNotFound
}

async function join(deps: Deps, { token, linkTokens, client, chargeNotFound }: Join): Promise<JoinResult> {
  const { db, links, now } = deps
  // A stranger learns nothing of tokens by a collection that does not exist.
  await requireCollection(token, (hash) => store.findCollection(db.read, hash))
  const named = await links.findManyByToken(linkTokens, chargeNotFound)
  const ids = [...new Set(named.flatMap((link) => (link instanceof Problem ? [] : [link.id])))]
  const joined = await refundFailed(
    () => client.charge('changes', ids.length),
    async (chargeOnce) => {
      if (ids.length > 0) await chargeOnce()
      return db.transaction(async (transaction) => {
        const { id } = await requireCollection(token, (hash) => store.lockCollection(transaction, hash))
        return addLinks(transaction, { collectionId: id, linkIds: ids, now: now() })
      })
    },
  )
  const outcomes = named.map((link) => (link instanceof Problem ? link : outcomeOf(link, joined)))
  const { failed, results } = rowResults(outcomes)
  return { added: joined.added.size, failed, results }
}

/** What became of links that were to join. */
interface Joined {
  added: Set<number>
  /** Those that were there. */
  already: Set<number>
  /** Those that exist; the others were deleted meanwhile. */
  existing: Set<number>
}

function outcomeOf({ id, code }: { id: number; code: string }, { added, already, existing }: Joined) {
  if (added.has(id)) return { code, added: true }
  if (already.has(id)) return { code, added: false }
  if (!existing.has(id)) return unknownToken()
  return collectionFull()
}

/** Adds links to a locked collection, as many as fit; each leaves its oldest collection for an eleventh. */
async function addLinks(
  transaction: Transaction<Tables>,
  { collectionId, linkIds, now }: { collectionId: string; linkIds: number[]; now: number },
): Promise<Joined> {
  if (linkIds.length === 0) return { added: new Set(), already: new Set(), existing: new Set() }
  const existing = await store.lockLinks(transaction, linkIds)
  const already = await store.findMembers(transaction, collectionId, linkIds)
  const room = MAX_LINKS - (await store.countMembers(transaction, collectionId))
  const adding = linkIds.filter((id) => existing.has(id) && !already.has(id)).slice(0, room)
  await store.insertMembers(transaction, { collectionId, linkIds: adding, now })
  await store.endOldest(transaction, adding, { most: MAX_COLLECTIONS, except: collectionId })
  return { added: new Set(adding), already, existing }
}
