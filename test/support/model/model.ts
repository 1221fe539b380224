// The model of test/model.test.ts: what the service should do, as a person would write it down. Each file beside this one
// has commands of one kind, and what to compare at the end. A new one is a line in the lists of test/model.test.ts, and a
// field of `ModelLink` where it needs one.
import type { Rule } from '../../../src/links/rules/rule.ts'
import { fc } from '../fast-check.ts'
import type { ModelCollection } from './collection.ts'
import type { ModelShare } from './shares.ts'
import { create, type Created, type TestServer } from '../server.ts'
import { isWorking, tokensOf, useToken, voidTokens, type TokenModel } from '../token-model.ts'

export const HOUR = 3_600_000
/** How long a link that was deleted with a way back can be brought back. */
export const UNDO_MS = 24 * HOUR

/** A scan. */
export interface ModelScan {
  at: number
  isQr: boolean
  bot: boolean
  device: string | null
  visitor: string
  /** The number of the rule that answered, or `link`. */
  answer: string
}

/** The fields of a link that its history has, by the names of the API. */
export interface Fields {
  target: string
  title: string | null
  campaign: string | null
  design: object | null
  active: boolean
  rules: Rule[]
  has_password: boolean
}

/** A link. */
export interface ModelLink {
  link: Created
  /** For everybody but an owner who brings it back. */
  isDeleted: boolean
  /** When it was deleted with a way back; undefined when it was not, or then for good. */
  deletedAt: number | undefined
  scans: ModelScan[]
  /** Each state of its fields, with its number and the time when it began. The last is the present one. */
  revisions: { number: number; at: number; fields: Fields }[]
  tokens: TokenModel
  password: string | null
  shares: ModelShare[]
  /** The collections that it is in, also those whose membership has ended and is still stored. */
  collections: Set<ModelCollection>
  /** The collection through which its token was last rotated. */
  through: ModelCollection | undefined
}

/** The service, and the links of one plan. */
export interface World {
  server: TestServer
  /** Several nodes fold the scans of a visitor in any order. */
  isOneNode: boolean
  /** A shared store shares the salts of the days. */
  isSqlite: boolean
  now: number
  links: ModelLink[]
  collections: ModelCollection[]
  restart: () => Promise<void>
}

/** A kind of command. */
export interface CommandKind {
  name: string
  weight: number
  arbitrary: fc.Arbitrary<Command>
  run: (world: World, command: Command) => Promise<void>
}

/** A command of a plan: plain data, which a failure prints. */
export interface Command {
  do: string
}

/** @param fields the random parameters of the command */
export function command<T extends object>(
  name: string,
  weight: number,
  fields: { [Name in keyof T]: fc.Arbitrary<T[Name]> },
  run: (world: World, parameters: T) => Promise<void>,
): CommandKind {
  const arbitrary = fc.record({ do: fc.constant(name), ...fields }) as fc.Arbitrary<Command>
  return { name, weight, arbitrary, run: (world, parameters) => run(world, parameters as Command & T) }
}

/** Parameters of a command to a link by one of its tokens. */
export const byToken = { link: fc.nat(3), token: fc.nat(5) }

export function linkAt({ links }: World, at: number): ModelLink {
  return links[at % links.length] as ModelLink
}

/** A link as a request names it. */
export interface Named {
  one: ModelLink
  /** Whether the request finds it. */
  works: boolean
  /** The status otherwise: 410 where it could be brought back. */
  refusal: 404 | 410
  /** Its path. */
  url: string
}

/** The code of the problem with which a token is refused. */
export const codeOf = (refusal: Named['refusal']) => (refusal === 410 ? 'link_deleted' : 'unknown_token')

/** Whether an owner can bring a link back. */
export function canComeBack({ deletedAt }: ModelLink, now: number): boolean {
  return deletedAt !== undefined && now - deletedAt < UNDO_MS
}

/** The path of a link by one of its tokens, the newest for 0, and whether the token works. Requests to it use the token. */
export function addressOf(world: World, { link, token }: { link: number; token: number }): Named & { token: string } {
  const one = linkAt(world, link)
  const { sent } = one.tokens
  const chosen = sent.at(-1 - (token % sent.length)) ?? ''
  const isKnown = canComeBack(one, world.now) && isWorking(one.tokens, chosen, world.now)
  return {
    one,
    token: chosen,
    works: !one.isDeleted && useToken(one.tokens, chosen, world.now),
    refusal: isKnown ? 410 : 404,
    url: `${world.server.url}/api/manage/${chosen}`,
  }
}

/** Notes that a link was deleted for good. */
export function noteDeleted(one: ModelLink): void {
  Object.assign(one, { isDeleted: true, deletedAt: undefined })
  voidTokens(one.tokens)
}

/** The path of a link that is not deleted, by a token that works. */
export function workingUrl({ server, now }: World, { tokens }: ModelLink): string {
  const token = tokens.next ?? tokens.own
  useToken(tokens, token, now)
  return `${server.url}/api/manage/${token}`
}

/** Notes the next state of a link's fields. */
export function noteRevision({ now }: World, one: ModelLink, fields: Fields): void {
  one.revisions.push({ number: numberOf(one) + 1, at: now, fields })
}

/** The number of the present state. */
export function numberOf({ revisions }: ModelLink): number {
  return revisions.at(-1)?.number ?? 0
}

export function fieldsOf({ revisions }: ModelLink): Fields {
  return revisions.at(-1)?.fields as Fields
}

const NEW: Fields = {
  target: 'https://example.com/',
  title: null,
  campaign: null,
  design: null,
  active: true,
  rules: [],
  has_password: false,
}

export async function createLink(world: World): Promise<void> {
  noteLink(world, await create(world.server, { target: NEW.target }))
}

/** Notes a link that was created as `createLink` does it, but for some fields. */
export function noteLink(world: World, link: Created, fields: Partial<Fields> = {}): ModelLink {
  const one: ModelLink = {
    link,
    isDeleted: false,
    deletedAt: undefined,
    scans: [],
    revisions: [{ number: 1, at: world.now, fields: { ...NEW, ...fields } }],
    tokens: tokensOf(link.token),
    password: null,
    shares: [],
    collections: new Set(),
    through: undefined,
  }
  // The collection through which it was rotated stays; nobody else keeps a key to it.
  one.tokens.replaced = () => {
    one.collections = new Set([...one.collections].filter((each) => each === one.through))
    one.through = undefined
  }
  world.links.push(one)
  return one
}
