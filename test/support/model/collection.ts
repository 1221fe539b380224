import { fc } from '../fast-check.ts'
import { isLate, useToken, type TokenModel } from '../token-model.ts'
import type { ModelCollectionShare } from './collection-shares.ts'
import { canComeBack, linkAt, type ModelLink, type Named, type World } from './model.ts'

/** A collection. Its links know that they are in it. */
export interface ModelCollection {
  tokens: TokenModel
  isEnded: boolean
  /** Designs by their names. */
  looks: Map<string, object>
  shares: ModelCollectionShare[]
}

/** Few, so that the links of a plan are often in the same ones; a link may be in more. */
export const MOST = 4

/** Parameters of a command to a collection by one of its tokens, and of one to a link in it. */
export const byKey = { collection: fc.nat(MOST - 1), key: fc.nat(3) }
export const through = { ...byKey, link: fc.nat(3) }
export type ByKey = { collection: number; key: number }
export type Through = ByKey & { link: number }

/** A collection as a request names it. */
export interface Keyed {
  it: ModelCollection
  token: string
  works: boolean
  url: string
}

/** The path of a collection by one of its tokens, the newest for 0; undefined when the plan has made none. */
export function keyOf(world: World, { collection, key }: ByKey): Keyed | undefined {
  const it = world.collections[collection % world.collections.length]
  if (it === undefined) return undefined
  const token = it.tokens.sent.at(-1 - (key % it.tokens.sent.length)) ?? ''
  const works = useToken(it.tokens, token, world.now)
  return { it, token, works, url: `${world.server.url}/api/collections/${token}` }
}

/** Whether a link is in a collection, deleted or not, and no rotation in another way has ended that. */
export function isKept(one: ModelLink, it: ModelCollection, now: number): boolean {
  return one.collections.has(it) && (!isLate(one.tokens, now) || one.through === it)
}

/** The links that a collection has. */
export function membersOf({ links, now }: World, it: ModelCollection): ModelLink[] {
  return links.filter((one) => !one.isDeleted && isKept(one, it, now))
}

/** The path of a link in a collection. */
export interface Member extends Named {
  it: ModelCollection
  /** Whether the collection's token does. */
  isKeyed: boolean
}

export function memberOf(world: World, { link, ...by }: Through): Member | undefined {
  const found = keyOf(world, by)
  if (found === undefined) return undefined
  const { it, works: isKeyed, url } = found
  const one = linkAt(world, link)
  const isFound = isKeyed && isKept(one, it, world.now)
  return {
    it,
    one,
    isKeyed,
    works: isFound && !one.isDeleted,
    refusal: isFound && canComeBack(one, world.now) ? 410 : 404,
    url: `${url}/links/${one.link.code}`,
  }
}

/** The same for what every owner does. The link's next token becomes its own where only that works. */
export function ownedOf(world: World, by: Through): Member | undefined {
  const found = memberOf(world, by)
  if (found?.works === true) useLate(world, found.one)
  return found
}

/** Through a collection, a link is found by its token that works. */
export function useLate({ now }: World, { tokens }: ModelLink): void {
  if (isLate(tokens, now)) useToken(tokens, tokens.next ?? '', now)
}
