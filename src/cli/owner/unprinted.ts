import type { Schemas } from '../../client/client.ts'
import { pluralize } from '../../lib/pluralize.ts'
import type { Service } from './service.ts'

/** What a creation returns of a link. */
export type Created = Pick<Schemas['CreatedLink'], 'code' | 'token' | 'short_url' | 'manage_url'>

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
  try {
    kept.keep(server, created)
    return `${what}; ${created.length === 1 ? 'its token is' : 'their tokens are'} kept in ${kept.file}`
  } catch (error) {
    const pages = created.map(({ manage_url }) => manage_url).join('\n')
    return `${what}, and cannot be kept either (${(error as Error).message}):\n${pages}`
  }
}
