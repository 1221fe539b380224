import type { FastifyRequest } from 'fastify'
import { pageLanguage } from '../../http/accept.ts'
import { Problem } from '../../http/problem.ts'
import type { Origin } from '../../http/origin.ts'
import { route, type Route } from '../../http/route.ts'
import { forbidCaching } from '../../links/api/owner-routes.ts'
import { addresses } from '../../links/link.ts'
import type { Links } from '../../links/open.ts'
import type { Shares } from '../../shares/open.ts'
import { fileNames, sendFile, type FileView } from './files.ts'
import { pageQueryOf, readForPage, sourceOfLink, type Asked, type PageSource } from './load.ts'
import { collectionName, sourceOfCollection } from './of-collection.ts'
import { askedOfShare, nameOfShared, sourceOfShare, type SharedReading } from './shared.ts'

/** What the files need from the rest of the program. */
export type StatisticsFilesNeeds = SharedReading & {
  links: Pick<Links, 'readByToken'>
  shares: Pick<Shares, 'findByToken'>
  origin: Origin
}

interface FileRoute {
  Params: { token: string; code?: string; file: string }
  Querystring: Record<string, unknown>
}
type FileRequest = FastifyRequest<FileRoute>

/** What a page shows, of which there are files. */
interface Shown extends Pick<FileView, 'prefix' | 'name' | 'placement'> {
  asked: Asked
  source: PageSource
}

/**
 * What the pages of owners, of collections and of shares show, as files: `/m/<token>/statistics/<file>`,
 * `/c/<token of a collection>/statistics/<file>`, the same below `/<code>` of a link in it, `/s/<share-token>/statistics/<file>`
 */
export function statisticsFileRoutes(needs: StatisticsFilesNeeds): Record<'owned' | 'collected' | 'shared', Route> {
  return {
    owned: fileRoute((request, query) => shownToOwner(needs, request, query)),
    collected: fileRoute((request, query) => shownOfCollection(needs, request, query)),
    shared: fileRoute((request, query) => shownByShare(needs, request, query)),
  }
}

async function shownToOwner(
  { links, origin, ...reading }: StatisticsFilesNeeds,
  request: FileRequest,
  query: FileRoute['Querystring'],
): Promise<Shown> {
  const { token, code: named } = request.params
  const { link } = await links.readByToken(named === undefined ? token : { collectionToken: token, code: named })
  return {
    prefix: link.code,
    name: addresses(link.code, origin.of(request)).short_url,
    placement: (placement) => link.placements.find((each) => each.id === placement)?.name,
    asked: pageQueryOf(query, reading.now(), true),
    source: sourceOfLink(reading, request, link.id),
  }
}

async function shownOfCollection(
  needs: StatisticsFilesNeeds,
  request: FileRequest,
  query: FileRoute['Querystring'],
): Promise<Shown> {
  const collection = await needs.collections.find(request.params.token)
  return {
    prefix: 'collection',
    name: collectionName(collection, pageLanguage(request)),
    placement: undefined,
    asked: pageQueryOf(query, needs.now(), true, true),
    source: sourceOfCollection(needs, request, collection),
  }
}

async function shownByShare(
  { shares, origin, ...reading }: StatisticsFilesNeeds,
  request: FileRequest,
  query: FileRoute['Querystring'],
): Promise<Shown> {
  const shared = await shares.findByToken(request.params.token)
  const isOfMany = 'collection' in shared
  return {
    prefix: isOfMany ? 'links' : shared.code,
    name: isOfMany ? nameOfShared(shared, pageLanguage(request)) : addresses(shared.code, origin.of(request)).short_url,
    placement: undefined,
    asked: askedOfShare(query, reading.now(), shared),
    source: sourceOfShare(reading, request, shared),
  }
}

/** @param show finds what the page of a request shows with the parameters of a query */
function fileRoute(show: (request: FileRequest, query: FileRoute['Querystring']) => Promise<Shown>): Route {
  return route<FileRoute>({
    schema: { hide: true },
    onSend: forbidCaching,
    config: { work: 'statistics' },
    async handler(request: FileRequest, reply) {
      const { file } = request.params
      if (!fileNames.has(file)) throw new Problem('not_found', 'the statistics have no such file')
      const { asked, source, ...named } = await show(request, { ...request.query, view: 'detail' })
      return sendFile(reply.header('vary', 'accept-language'), file, {
        ...(await readForPage(source, asked)),
        ...named,
        language: pageLanguage(request),
      })
    },
  })
}
