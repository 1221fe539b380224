import { Type } from '#typebox'
import { warnOfLocalUrl } from '../../http/local-address.ts'
import type { Origin } from '../../http/origin.ts'
import { problems } from '../../http/problem-schema.ts'
import { sends } from '../../http/response-headers.ts'
import { zipOf, type ZippedFile } from '../../http/zip.ts'
import { ownerRoutes, credentialOf, type OwnerRoutes } from '../../links/api/owner-routes.ts'
import { bundledLink, bundleFiles } from '../../links/bundle.ts'
import type { Links } from '../../links/open.ts'
import type { Slots } from '../../limits/slots.ts'
import type { Scans } from '../open.ts'
import { exportedTables, type TableName } from '../statistics/export.ts'
import { holdSlot, lackHeaders, pageReader, pages, type ReadPage } from './routes.ts'

/** What the bundle needs of the rest of the program. */
export interface BundleNeeds {
  scans: Pick<Scans, 'statedTotals' | 'page' | 'missing'>
  links: Pick<Links, 'readByToken'>
  slots: Pick<Slots, 'exports'>
  origin: Pick<Origin, 'of'>
  now: () => number
}

const schema = {
  summary: 'Export a link with its design, counts and scans',
  operationId: 'exportBundle',
  description: 'A ZIP that `quirl import` takes; without token, password and webhook.',
  tags: ['Statistics'],
  response: {
    200: {
      description: 'The files.',
      headers: sends('Content-Disposition', 'Quirl-As-Of', 'Quirl-Raw-Missing'),
      content: { 'application/zip': { schema: Type.String({ format: 'binary' }) } },
    },
    ...problems('unknown_token', 'link_deleted'),
  },
}

/** Streams a link with its design, its counts and its scans as a ZIP: `GET /api/manage/<token>/bundle` */
export function bundleRoutes({ scans, links, slots, origin, now }: BundleNeeds): OwnerRoutes {
  return ownerRoutes({
    config: { work: 'statistics' },
    schema,
    async handler(request, reply) {
      const owned = await links.readByToken(credentialOf(request))
      const { id, code } = owned.link
      const headers = {
        'content-type': 'application/zip',
        'content-disposition': `attachment; filename="${code}.zip"`,
        'x-content-type-options': 'nosniff',
      }
      if (request.method === 'HEAD') return reply.headers(headers).send()
      const slot = slots.exports(request, id)
      try {
        // Read before the headers are sent: a store that cannot be read gets an error response.
        const { totals, ...asOf } = await scans.statedTotals(id)
        const lacks = lackHeaders(asOf, await scans.missing(slot, [id]))
        const own = origin.of(request)
        warnOfLocalUrl(reply, own)
        const link = bundledLink(owned, { origin: own, totals, now: now() })
        const files = filesOf(link, (table) => pageReader(scans, slot, { name: table, linkId: id }), new Date(now()))
        const body = holdSlot(zipOf(files), slot)
        return await reply.headers({ ...headers, ...lacks }).send(body)
      } catch (error) {
        slot.release()
        throw error
      }
    },
  })
}

/** The files, each of which is read once the client has read those before it. */
async function* filesOf(
  link: object,
  readerOf: (table: TableName) => ReadPage,
  lastModified: Date,
): AsyncGenerator<ZippedFile> {
  yield { name: bundleFiles.link, input: `${JSON.stringify(link, undefined, 2)}\n`, lastModified }
  for (const table of Object.keys(exportedTables) as TableName[]) {
    const read = readerOf(table)
    yield { name: bundleFiles[table], input: pages(table, read, await read([])), lastModified }
  }
}
