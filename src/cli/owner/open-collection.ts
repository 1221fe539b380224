import type { QuirlClient } from '../../client/client.ts'
import { isCollectionToken } from '../../lib/collection-token.ts'
import { StartError } from '../../lib/start-error.ts'
import { openService, type Service, type ServiceContext } from './service.ts'

/** The service, and a collection of it. */
export interface ServiceOfCollection extends Service {
  token: string
  /** The name under which the token was kept, if it was. */
  keptAs: string | undefined
  collection: QuirlClient
}

/** What names a collection in a sentence. */
const WAYS = 'the address of its page (…/c/…), its token, or the name under which its token was kept'

/**
 * The collection that a text names: by the URL of its page, its token, or the name of a kept token.
 * @throws {StartError} when it names none
 */
export function openCollection(context: ServiceContext, named: string | undefined): ServiceOfCollection {
  if (named === undefined) throw new StartError(`give a collection: ${WAYS}`)
  const url = URL.parse(named)
  const [, ofPage] = /^\/c\/([^/]+)$/.exec(url?.pathname ?? '') ?? []
  const given = openService(context)
  const service = url !== null && ofPage !== undefined ? given.at(url.origin) : given
  const text = ofPage ?? named
  const token = isCollectionToken(text) ? text : service.collections.find(service.server, text)
  if (token === undefined)
    throw new StartError(`no collection ${JSON.stringify(named)} was kept for ${service.server}; give ${WAYS}`)
  const [keptAs] = service.collections.all(service.server).find(([, kept]) => kept === token) ?? []
  return { ...service, token, keptAs, collection: service.client(token) }
}

/** The service for creations, and the header that names the collection of `--collection`. */
export function openForCreation(context: ServiceContext): {
  service: Service
  header: { 'quirl-collection'?: string }
} {
  const named = context.flags['collection']
  if (typeof named !== 'string') return { service: openService(context), header: {} }
  const { token, ...service } = openCollection(context, named)
  return { service, header: { 'quirl-collection': token } }
}
