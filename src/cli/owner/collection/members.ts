import type { Schemas } from '../../../client/client.ts'
import { pluralize } from '../../../lib/pluralize.ts'
import { StartError } from '../../../lib/start-error.ts'
import { exits } from '../../command-error.ts'
import type { CommandResult } from '../../command.ts'
import { openCollection } from '../open-collection.ts'
import { tokenOf } from '../open-link.ts'
import { printed, serviceOptions } from '../options.ts'
import { dataOf, type Service } from '../service.ts'
import { COLLECTION, type Verb } from './verb.ts'

type Joined = Schemas['JoinResult']

/** Tokens of one request (docs/api.md). */
const MAX_TOKENS = 500

export const add: Verb = {
  name: 'add',
  usage: `${COLLECTION} <link> …`,
  summary: 'add links, by the addresses of their pages, their tokens, or codes whose tokens were kept',
  options: { ...serviceOptions, kept: { type: 'boolean', doc: 'add all links of the service whose tokens were kept' } },
  async run({ args: [named, ...links], flags, env }): Promise<CommandResult> {
    const opened = openCollection({ flags, env }, named)
    const given = flags['kept'] === true ? [...links, ...opened.kept.all(opened.server).map(([code]) => code)] : links
    if (given.length === 0) throw new StartError('give the links to add, or --kept for all whose tokens were kept')
    // Before anything is added.
    const tokens = tokensOfLinks(given, opened)
    const joined: Joined = { added: 0, failed: 0, results: [] }
    for (let from = 0; from < tokens.length; from += MAX_TOKENS) {
      const body = { tokens: tokens.slice(from, from + MAX_TOKENS) }
      const { added, failed, results } = dataOf(await opened.collection.POST('/api/collections/links', { body }))
      joined.added += added
      joined.failed += failed
      joined.results.push(...results.map((result) => ({ ...result, index: from + result.index })))
    }
    const errors = joined.results.flatMap((result) =>
      'error' in result ? [`${given[result.index]}: ${result.error.detail}`] : [],
    )
    return {
      text: printed(flags, joined, describeJoined),
      ...(errors.length > 0 && { warning: errors.join('\nquirl: ') }),
      status: errors.length === 0 ? 0 : exits.partly,
    }
  },
}

/** @throws {StartError} for a link of which no token is known */
export function tokensOfLinks(links: string[], service: Service): string[] {
  return links.map((link) => tokenOfLink(link, service))
}

function tokenOfLink(named: string, service: Service): string {
  const url = URL.parse(named)
  // Tokens go to the service that they belong to, and to no other.
  const isElsewhere = url !== null && service.at(url.origin).server !== service.server
  const token = isElsewhere ? undefined : tokenOf(named, url, service)
  if (token !== undefined) return token
  throw new StartError(
    `${JSON.stringify(named)} names no link of ${service.server} whose token is known here; give the URL of its page, …/m/…`,
  )
}

function describeJoined({ added, failed, results }: Joined): string {
  const before = results.length - added - failed
  return `${pluralize(added, 'link')} added${before > 0 ? `; ${before} had joined before` : ''}`
}

export const remove: Verb = {
  name: 'remove',
  usage: `${COLLECTION} <code> …`,
  summary: 'take links out of a collection; they stay',
  options: serviceOptions,
  async run({ args: [named, ...codes], flags, env }): Promise<CommandResult> {
    const { collection, token } = openCollection({ flags, env }, named)
    if (codes.length === 0) throw new StartError('give the codes of the links to take out')
    const removed: string[] = []
    const errors: string[] = []
    for (const code of codes) {
      const params = { path: { token, code } }
      const result = await collection.DELETE('/api/collections/{token}/links/{code}', { params })
      const problem = result.error as Schemas['Problem'] | undefined
      if (problem?.code === 'unknown_code') errors.push(`${code}: ${problem.detail}`)
      else removed.push(dataOf(result).code)
    }
    return {
      text: printed(flags, { removed }, () => `${pluralize(removed.length, 'link')} taken out`),
      ...(errors.length > 0 && { warning: errors.join('\nquirl: ') }),
      status: errors.length === 0 ? 0 : exits.partly,
    }
  },
}
