import type { QuirlClient, Schemas } from '../../client/client.ts'
import { StartError } from '../../lib/start-error.ts'
import { isCode } from '../../links/code.ts'
import { isToken } from '../../lib/token.ts'
import type { CommandContext } from '../command.ts'
import { openCollection } from './open-collection.ts'
import { dataOf, openService, type Service, type ServiceContext } from './service.ts'

/** The service, and a link of it: the paths of links are about it, whoever's token opens it. */
export interface ServiceOfLink extends Service {
  link: QuirlClient
  /** Whether it is found through a collection, whose token opens it. */
  isCollected: boolean
}

/** Kept collections that are asked for a link. */
const MAX_ASKED = 50

/**
 * The link that the first argument names: by the URL of its page, its token, or the code of a kept token; else by its code in
 * the collection of `--collection`, or in one that was kept.
 * @throws {StartError} when it names none
 */
export async function openLink(context: ServiceContext & Pick<CommandContext, 'args'>): Promise<ServiceOfLink> {
  const [named, ...more] = context.args
  if (named === undefined || more.length > 0)
    throw new StartError('give one link: the URL of its page (…/m/…), its token, or the code of a token that was kept')
  const url = URL.parse(named)
  const collection = context.flags['collection']
  if (typeof collection === 'string') {
    const { token, ...service } = openCollection(context, collection)
    return { ...service, link: service.client(token, codeIn(named, url)), isCollected: true }
  }
  const given = openService(context)
  const service = url === null ? given : given.at(url.origin)
  const token = tokenOf(named, url, service)
  if (token !== undefined) return { ...service, link: service.client(token), isCollected: false }
  const link = await findInCollections(service, url === null ? named : url.pathname.slice(1))
  if (link !== undefined) return { ...service, link, isCollected: true }
  throw new StartError(
    `no token of ${JSON.stringify(named)} was kept${service.collections.all(service.server).length > 0 ? ', and no kept collection has it' : ''}; give the URL of the link's page, …/m/…`,
  )
}

/** The token that a text has or is, or the one that was kept of a code or short URL. */
export function tokenOf(named: string, url: URL | null, { server, kept }: Service): string | undefined {
  if (url === null) return isToken(named) ? named : kept.find(server, named)
  const [, ofPage] = /^\/m\/([^/]+)$/.exec(url.pathname) ?? []
  return ofPage ?? kept.find(server, url.pathname.slice(1))
}

function codeIn(named: string, url: URL | null): string {
  const code = url === null ? named : url.pathname.slice(1)
  if (isCode(code)) return code
  throw new StartError('with --collection, give the code or the short URL of the link')
}

/** Asks the kept collections of a service for a link, those that were kept last first. */
async function findInCollections(service: Service, code: string): Promise<QuirlClient | undefined> {
  if (!isCode(code)) return undefined
  for (const [, token] of service.collections.all(service.server).slice(-MAX_ASKED).toReversed()) {
    const link = service.client(token, code)
    const found = await link.GET('/api/manage')
    const problem = found.error as Schemas['Problem'] | undefined
    // One that can be brought back is there, too.
    if (problem?.code === 'link_deleted') return link
    if (problem?.code === 'collection_not_found') continue
    dataOf(found)
    return link
  }
  return undefined
}
