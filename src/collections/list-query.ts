import { createHash } from 'node:crypto'
import { Type, type Static } from '#typebox'
import { invalidRequest } from '../http/problem.ts'
import { kinds } from '../links/kinds/index.ts'
import type { ListQuery } from './listing.ts'
import type { Place } from './ranking.ts'

/** Links of one page, by default and at most. */
const LIMIT = 50
export const MAX_LIMIT = 200
const MAX_TEXT = 200

/** The parameters of a list of links. */
export const listParameters = Type.Object({
  q: Type.Optional(
    Type.String({
      maxLength: MAX_TEXT,
      description:
        "A part of the code, the title, the campaign, the target, or a text of the kind's own fields, in any case. Of those fields the first 8 KB count.",
      examples: ['menu'],
    }),
  ),
  campaign: Type.Optional(
    Type.String({ maxLength: MAX_TEXT, description: 'Only links of this campaign; empty: those without one.' }),
  ),
  kind: Type.Optional(
    Type.Enum(
      kinds.map(({ name }) => name),
      { description: 'Only links of this kind.' },
    ),
  ),
  state: Type.Optional(
    Type.Enum(['active', 'paused', 'removed'], {
      description: '`paused`: by their owner; `removed`: blocked for abuse; `active`: neither.',
    }),
  ),
  sort: Type.Optional(
    Type.Enum(['created', 'title', 'scans'], {
      description:
        'By default `created`. Links that are scanned while one reads the pages of `scans` may be missed or come twice.',
    }),
  ),
  order: Type.Optional(Type.Enum(['asc', 'desc'], { description: 'By default `asc` with `title`, and else `desc`.' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_LIMIT, description: `Links of a page, by default ${LIMIT}.` }),
  ),
  cursor: Type.Optional(
    Type.String({ maxLength: 2048, description: '`next` of the page before, which had the same parameters.' }),
  ),
})

export type ListParameters = Static<typeof listParameters>

/**
 * Reads the parameters of a list of a collection.
 * @throws {Problem} 400 for a cursor of another list
 */
export function listQueryOf(parameters: ListParameters, collectionId: string): ListQuery {
  const { q = '', campaign, kind, state, sort = 'created', limit = LIMIT, cursor } = parameters
  const query = {
    text: q === '' ? undefined : q.toLowerCase(),
    campaign: campaign === '' ? null : campaign,
    kind,
    state: state,
    sort: sort,
    order: parameters.order ?? (sort === 'title' ? 'asc' : 'desc'),
  }
  return { ...query, limit, after: cursor === undefined ? undefined : readCursor(cursor, listOf(query, collectionId)) }
}

/** Names a list: what is in it and in which order. */
function listOf(query: Omit<ListQuery, 'limit' | 'after'>, collectionId: string): string {
  const { text, campaign, kind, state, sort, order } = query
  const named = JSON.stringify([collectionId, text ?? '', campaign ?? [campaign], kind, state, sort, order])
  return createHash('sha256').update(named).digest('base64url').slice(0, 8)
}

/** The cursor that names the last link of a page. */
export function writeCursor({ value, id }: Place, query: ListQuery, collectionId: string): string {
  return Buffer.from(JSON.stringify([listOf(query, collectionId), value, id])).toString('base64url')
}

function readCursor(cursor: string, list: string): Place {
  const [of, value, id] = parseCursor(cursor)
  const isValue = value === null || typeof value === 'string' || Number.isFinite(value)
  if (of === list && isValue && Number.isSafeInteger(id)) return { value, id } as Place
  throw invalidRequest([{ pointer: '/cursor', detail: 'must be `next` of a page with the same parameters' }])
}

function parseCursor(cursor: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(parsed) ? parsed : []
  } catch {
    return []
  }
}
