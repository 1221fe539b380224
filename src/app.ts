import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Config } from './config/config.ts'
import { readJsonBodies, refuseEncodedBodies } from './http/body.ts'
import { allowEveryOrigin } from './http/cors.ts'
import { refuseUnsupported } from './http/methods.ts'
import { handleUnknownPaths } from './http/error-handler.ts'
import type { Timeouts } from './http/server.ts'
import { addNotices } from './http/notices.ts'
import { createInstance } from './instance.ts'
import { readRows } from './links/api/bulk-routes.ts'
import { readChanges } from './links/api/change-many-routes.ts'
import { readCsvBodies } from './links/api/csv-body.ts'
import { inCollection, type OwnerRoutes } from './links/api/owner-routes.ts'
import type { Services } from './services.ts'
import { refuseForeignForms } from './web/foreign-forms.ts'
import { readForms } from './web/read-form.ts'
import { createHandlers, type Handlers } from './handlers.ts'

/**
 * The server with every hook and every route of the service.
 * @param timeouts of clients, that are not the usual ones
 */
export async function createApp(
  config: Config,
  services: Services,
  log: FastifyBaseLogger,
  timeouts: Partial<Timeouts> = {},
): Promise<FastifyInstance> {
  const { app, answerOtherMethods, describe, metrics } = await createInstance(config, services, log, timeouts)
  await addRoutes(app, createHandlers(config, services, { describe, metrics, log }))
  answerOtherMethods()
  return app
}

/** Every path of the service. */
async function addRoutes(app: FastifyInstance, handlers: Handlers): Promise<void> {
  const { operator, visitor, program, browser } = handlers
  app.get('/healthz', operator.health.isUp)
  app.get('/readyz', operator.health.isReady)
  app.get('/metrics', operator.metrics)
  app.get('/.well-known/security.txt', operator.securityTxt)
  app.get('/internal/tls-ask', operator.tlsAsk)

  app.get('/:code', visitor.visit.plain)
  app.get('/:code(^[\\w-]+).Q', visitor.visit.compact)
  app.get('/:code(^[\\w-]+).q', visitor.visit.compactInSmallLetters)
  app.get('/:code(^[\\w-]+)+', visitor.preview)
  for (const { extension, route } of visitor.files) app.get(`/:code(^[\\w-]+).${extension}`, route)
  app.get('/:code/qr.png', visitor.codeImage.png)
  app.get('/:code/qr.svg', visitor.codeImage.svg)
  app.get('/:code/qr.pdf', visitor.codeImage.pdf)
  app.get('/:code/print.pdf', visitor.print)
  app.get('/:code/og.png', visitor.picture)

  await app.register((forms) => addPasswordRoutes(forms, visitor))

  await app.register((api) => addApiRoutes(api, program), { prefix: '/api' })
  await app.register((pages) => addPageRoutes(pages, browser))
}

/** The forms of links with a password, at the addresses of the visits. */
async function addPasswordRoutes(forms: FastifyInstance, { password }: Handlers['visitor']): Promise<void> {
  refuseUnsupported(forms)
  refuseEncodedBodies(forms)
  readForms(forms)
  forms.post('/:code', password.visit.plain)
  forms.post('/:code(^[\\w-]+).Q', password.visit.compact)
  forms.post('/:code(^[\\w-]+).q', password.visit.compactInSmallLetters)
  for (const { extension, route } of password.files) forms.post(`/:code(^[\\w-]+).${extension}`, route)
}

/** Below `/api`. */
async function addApiRoutes(api: FastifyInstance, program: Handlers['program']): Promise<void> {
  allowEveryOrigin(api)
  readJsonBodies(api)
  handleUnknownPaths(api)
  addNotices(api)
  api.post('/links', program.createLink)
  api.get('/links/:code/available', program.availability)
  await api.register(async (bulk) => {
    readRows(bulk)
    bulk.post('/bulk', program.createLinks)
  })
  await api.register(async (changes) => {
    readChanges(changes)
    changes.post('/manage', program.changeLinks)
  })
  await api.register(async (changes) => {
    readChanges(changes)
    readCsvBodies(changes)
    changes.post('/collections/:token/changes', program.collectionChanges.byPath)
    changes.post('/collections/changes', program.collectionChanges.byHeader)
  })
  api.post('/print', program.print)
  api.get('/print/calibration.pdf', program.calibration)
  api.get('/qr', program.dataImage)
  api.post('/qr', program.designedImage)
  addOwnerRoutes(api, program)
  addCollectionRoutes(api, program.collections)
  addCollectionFiles(api, program)
  addCollectionStatisticsRoutes(api, program.collectionStatistics)
  addCollectionShareRoutes(api, program.collectionShares)
  addStatisticsRoutes(api, program.statistics)
  api.post('/reports', program.report)
  api.post('/domains', program.domain.register)
  api.get('/domains/:domain', program.domain.read)
  api.delete('/domains/:domain', program.domain.remove)
  api.get('/openapi.json', program.openApi)
  api.get('/problems', program.problems)
}

/** What the owner of a link can do, below `/api`: with the link's own token, or with that of a collection that it is in. */
function addOwnerRoutes(
  api: FastifyInstance,
  { link, history, rotation, stream, statistics }: Handlers['program'],
): void {
  const { owned, shares } = statistics
  const add = (method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, routes: OwnerRoutes) => {
    const { byPath, byHeader } = inCollection(routes)
    api.route({ ...routes.byPath, method, url: `/manage/:token${path}` })
    api.route({ ...routes.byHeader, method, url: `/manage${path}` })
    // There, a deletion takes the link out of the collection, unless it says more.
    if (routes === link.delete) return
    api.route({ ...byPath, method, url: `/collections/:token/links/:code${path}` })
    api.route({ ...byHeader, method, url: `/collections/links/:code${path}` })
  }
  add('GET', '', link.read)
  add('PUT', '', link.change)
  add('DELETE', '', link.delete)
  add('POST', '/undelete', link.undelete)
  add('GET', '/stream', stream)
  add('GET', '/history', history.read)
  add('POST', '/revert', history.revert)
  add('POST', '/rotate', rotation)
  add('GET', '/stats', owned.stats)
  add('GET', '/scans.csv', owned.scans)
  add('GET', '/scans.ndjson', owned.scansNdjson)
  add('GET', '/bundle', owned.bundle)
  add('POST', '/share', shares.create)
  add('GET', '/shares', shares.list)
  add('DELETE', '/shares/:id', shares.revoke)
}

/** Collections, below `/api`. */
function addCollectionRoutes(api: FastifyInstance, collections: Handlers['program']['collections']): void {
  const { create, read, change, remove, rotate, list, join, leave } = collections
  api.post('/collections', create)
  api.get('/collections/:token', read.byPath)
  api.get('/collections', read.byHeader)
  api.put('/collections/:token', change.byPath)
  api.put('/collections', change.byHeader)
  api.delete('/collections/:token', remove.byPath)
  api.delete('/collections', remove.byHeader)
  api.post('/collections/:token/rotate', rotate.byPath)
  api.post('/collections/rotate', rotate.byHeader)
  api.get('/collections/:token/links', list.byPath)
  api.get('/collections/links', list.byHeader)
  api.post('/collections/:token/links', join.byPath)
  api.post('/collections/links', join.byHeader)
  api.delete('/collections/:token/links/:code', leave.byPath)
  api.delete('/collections/links/:code', leave.byHeader)
}

/** Files of the links of collections, below `/api`. */
function addCollectionFiles(
  api: FastifyInstance,
  { collectionSheet, collectionCodes }: Pick<Handlers['program'], 'collectionSheet' | 'collectionCodes'>,
): void {
  api.get('/collections/:token/links.csv', collectionSheet.byPath)
  api.get('/collections/links.csv', collectionSheet.byHeader)
  api.get('/collections/:token/codes.zip', collectionCodes.byPath)
  api.get('/collections/codes.zip', collectionCodes.byHeader)
}

/** Statistics of collections, below `/api`. */
function addCollectionStatisticsRoutes(
  api: FastifyInstance,
  { stats, scans, scansNdjson }: Handlers['program']['collectionStatistics'],
): void {
  api.get('/collections/:token/stats', stats.byPath)
  api.get('/collections/stats', stats.byHeader)
  api.get('/collections/:token/scans.csv', scans.byPath)
  api.get('/collections/scans.csv', scans.byHeader)
  api.get('/collections/:token/scans.ndjson', scansNdjson.byPath)
  api.get('/collections/scans.ndjson', scansNdjson.byHeader)
}

/** Shares of collections, below `/api`. */
function addCollectionShareRoutes(
  api: FastifyInstance,
  { create, list, revoke }: Handlers['program']['collectionShares'],
): void {
  api.post('/collections/:token/share', create.byPath)
  api.post('/collections/share', create.byHeader)
  api.get('/collections/:token/shares', list.byPath)
  api.get('/collections/shares', list.byHeader)
  api.delete('/collections/:token/shares/:id', revoke.byPath)
  api.delete('/collections/shares/:id', revoke.byHeader)
}

/** Statistics, below `/api`: for readers of a share, and of many links. */
function addStatisticsRoutes(api: FastifyInstance, { shared, ofMany }: Handlers['program']['statistics']): void {
  api.get('/share/:token/stats', shared.stats.byPath)
  api.get('/share/stats', shared.stats.byHeader)
  api.get('/share/:token/scans.csv', shared.scans.byPath)
  api.get('/share/scans.csv', shared.scans.byHeader)
  api.get('/share/:token/scans.ndjson', shared.scansNdjson.byPath)
  api.get('/share/scans.ndjson', shared.scansNdjson.byHeader)
  api.post('/stats', ofMany)
}

/** The pages of the owner of a link below a path. */
function addOwnerPages(pages: FastifyInstance, path: string, browser: Handlers['browser']): void {
  pages.get(path, browser.ownerPage.show)
  pages.post(path, browser.ownerPage.act)
  pages.get(`${path}/placements`, browser.ownerPage.placements)
  pages.get(`${path}/labels.pdf`, browser.labels.ofLink)
  pages.get(`${path}/print`, browser.printPage)
  pages.get(`${path}/try`, browser.tryPage)
  pages.get(`${path}/statistics/:file`, browser.statisticsFiles.owned)
}

async function addPageRoutes(pages: FastifyInstance, browser: Handlers['browser']): Promise<void> {
  refuseEncodedBodies(pages)
  refuseForeignForms(pages)
  readForms(pages)
  pages.get('/', browser.homePage.show)
  pages.post('/', browser.homePage.create)
  addOwnerPages(pages, '/m/:token', browser)
  // A link may have the alias `c`, too, as `s` below.
  const collection = '/c/:token(^collection_[\\w-]+$)'
  pages.get(collection, browser.collectionPage.show)
  pages.post(collection, browser.collectionPage.act)
  pages.get(`${collection}/statistics/:file`, browser.statisticsFiles.collected)
  pages.post(`${collection}/links.csv`, browser.collectionSpreadsheet)
  pages.get(`${collection}/labels.pdf`, browser.labels.ofCollection)
  pages.get(`${collection}/codes.zip`, browser.labels.archive)
  pages.get(`${collection}/looks/:look`, browser.lookImage)
  addOwnerPages(pages, `${collection}/:code`, browser)
  pages.get('/bulk', browser.bulkPage.show)
  pages.post('/bulk', browser.bulkPage.create)
  pages.get('/bulk/sample.csv', browser.bulkPage.sample)
  pages.get('/domains', browser.domainPage.show)
  pages.post('/domains', browser.domainPage.act)
  // A link may have the alias `s`: its images are below `/s` too.
  pages.get('/s/:token(^share_[\\w-]+$)', browser.sharePage)
  pages.get('/s/:token(^share_[\\w-]+$)/statistics/:file', browser.statisticsFiles.shared)
  pages.get('/report', browser.reportPage.show)
  pages.post('/report', browser.reportPage.report)
  pages.get('/docs', browser.docsPage)
  pages.get('/privacy', browser.privacyPage)
  pages.get('/assets/accent-:color(^[0-9a-f]{6}).css', browser.accent)
  for (const { path, route } of browser.files) pages.get(path, route)
}
