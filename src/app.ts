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
  api.get('/manage/:token', program.link.read.byPath)
  api.put('/manage/:token', program.link.change.byPath)
  api.delete('/manage/:token', program.link.delete.byPath)
  api.get('/manage', program.link.read.byHeader)
  api.put('/manage', program.link.change.byHeader)
  api.delete('/manage', program.link.delete.byHeader)
  await api.register(async (bulk) => {
    readRows(bulk)
    bulk.post('/bulk', program.createLinks)
  })
  await api.register(async (changes) => {
    readChanges(changes)
    changes.post('/manage', program.changeLinks)
  })
  api.get('/qr', program.dataImage)
  api.post('/qr', program.designedImage)
  api.get('/manage/:token/stream', program.stream.byPath)
  api.get('/manage/stream', program.stream.byHeader)
  api.get('/manage/:token/history', program.history.read.byPath)
  api.get('/manage/history', program.history.read.byHeader)
  api.post('/manage/:token/revert', program.history.revert.byPath)
  api.post('/manage/revert', program.history.revert.byHeader)
  api.post('/manage/:token/rotate', program.rotation.byPath)
  api.post('/manage/rotate', program.rotation.byHeader)
  addStatisticsRoutes(api, program.statistics)
  api.post('/reports', program.report)
  api.post('/domains', program.domain.register)
  api.get('/domains/:domain', program.domain.read)
  api.delete('/domains/:domain', program.domain.remove)
  api.get('/openapi.json', program.openApi)
  api.get('/problems', program.problems)
}

/** Statistics, below `/api`: for the owner of a link, for readers of a share, and of many links. */
function addStatisticsRoutes(
  api: FastifyInstance,
  { owned, shares, shared, ofMany }: Handlers['program']['statistics'],
): void {
  api.get('/manage/:token/stats', owned.stats.byPath)
  api.get('/manage/stats', owned.stats.byHeader)
  api.get('/manage/:token/scans.csv', owned.scans.byPath)
  api.get('/manage/scans.csv', owned.scans.byHeader)
  api.get('/manage/:token/scans.ndjson', owned.scansNdjson.byPath)
  api.get('/manage/scans.ndjson', owned.scansNdjson.byHeader)
  api.get('/manage/:token/bundle', owned.bundle.byPath)
  api.get('/manage/bundle', owned.bundle.byHeader)
  api.post('/manage/:token/share', shares.create.byPath)
  api.post('/manage/share', shares.create.byHeader)
  api.get('/manage/:token/shares', shares.list.byPath)
  api.get('/manage/shares', shares.list.byHeader)
  api.delete('/manage/:token/shares/:id', shares.revoke.byPath)
  api.delete('/manage/shares/:id', shares.revoke.byHeader)
  api.get('/share/:token/stats', shared.stats.byPath)
  api.get('/share/stats', shared.stats.byHeader)
  api.get('/share/:token/scans.csv', shared.scans.byPath)
  api.get('/share/scans.csv', shared.scans.byHeader)
  api.get('/share/:token/scans.ndjson', shared.scansNdjson.byPath)
  api.get('/share/scans.ndjson', shared.scansNdjson.byHeader)
  api.post('/stats', ofMany)
}

async function addPageRoutes(pages: FastifyInstance, browser: Handlers['browser']): Promise<void> {
  refuseEncodedBodies(pages)
  refuseForeignForms(pages)
  readForms(pages)
  pages.get('/', browser.homePage.show)
  pages.post('/', browser.homePage.create)
  pages.get('/m/:token', browser.ownerPage.show)
  pages.post('/m/:token', browser.ownerPage.act)
  pages.get('/m/:token/statistics/:file', browser.statisticsFiles.owned)
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
