import type { Schemas } from '../../client/client.ts'
import { pluralize } from '../../lib/pluralize.ts'
import type { KeptTokens } from './kept-tokens.ts'
import type { Service } from './service.ts'

/** What a creation returns of a link. */
export type Created = Pick<Schemas['CreatedLink'], 'code' | 'token' | 'short_url' | 'manage_url'>

/** What a creation or a rotation returns of a collection, and the name under which to keep it. */
export type NamedCollection = Pick<Schemas['CreatedCollection'], 'token' | 'manage_url'> & { name: string }

/**
 * Keeps the tokens of links whose only copy could not be printed, as `--keep` does; if that fails as well, they go to
 * standard error.
 * @returns what to say on standard error; undefined when nothing was created
 */
export function keepUnprinted({ server, kept }: Service, created: Created[]): string | undefined {
  const [first] = created
  if (first === undefined) return undefined
  const what =
    created.length === 1 ? `${first.short_url} was created` : `${pluralize(created.length, 'link')} were created`
  const whose = created.length === 1 ? 'its token is' : 'their tokens are'
  return keepOrShow(
    kept,
    () => {
      kept.keep(server, created)
      return `${what}; ${whose} kept`
    },
    { what, pages: created.map(({ manage_url }) => manage_url) },
  )
}

/** The same for the token of a collection. @param what has happened, such as "a collection was created" */
export function keepUnprintedCollection(
  { server, collections }: Service,
  { name, token, manage_url: page }: NamedCollection,
  what: string,
): string {
  return keepOrShow(collections, () => `${what}; its token is kept as "${collections.keepAs(server, name, token)}"`, {
    what,
    pages: [page],
  })
}

function keepOrShow(
  { file }: KeptTokens,
  keep: () => string,
  { what, pages }: { what: string; pages: string[] },
): string {
  try {
    return `${keep()} in ${file}`
  } catch (error) {
    return `${what}, and cannot be kept either (${(error as Error).message}):\n${pages.join('\n')}`
  }
}
