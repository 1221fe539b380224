import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { reportRoute, securityRoute } from './abuse/routes.ts'
import type { Config } from './config/config.ts'
import { tlsAskRoute } from './domains/tls-ask.ts'
import { domainRoutes } from './domains/routes.ts'
import { readJsonBodies, refuseEncodedBodies } from './http/body.ts'
import { allowEveryOrigin } from './http/cors.ts'
import { handleUnknownPaths } from './http/error-handler.ts'
import { healthRoutes } from './http/health.ts'
import { metricsRoute, type MetricsNeeds } from './http/metrics.ts'
import { openApiRoute, problemsRoute, type DescribeApi } from './http/openapi.ts'
import { createInstance } from './instance.ts'
import { bulkRoute, readRows } from './links/bulk-routes.ts'
import { changesRoute, readChanges } from './links/change-many-routes.ts'
import { historyRoutes } from './links/history-routes.ts'
import { rotationRoutes } from './links/rotation-routes.ts'
import { creationRoute, manageRoutes } from './links/routes.ts'
import { designRoute } from './qr/design-route.ts'
import { codeImageRoutes, dataImageRoute } from './qr/routes.ts'
import { streamRoutes } from './scans/stream-route.ts'
import { exportRoutes, statsRoutes } from './scans/routes.ts'
import type { Services } from './services.ts'
import { fileRoutes, previewRoute, visitRoutes } from './visits/routes.ts'
import { assetRoute, readPreview } from './web/assets.ts'
import { homeRoutes } from './web/home-routes.ts'
import { ownerPageRoutes } from './web/owner-routes.ts'
import { readForms } from './web/read-form.ts'
import { reportPageRoutes } from './web/report-routes.ts'

/** The server with every hook and every route of the service. */
export async function createApp(config: Config, services: Services, log: FastifyBaseLogger): Promise<FastifyInstance> {
  const { app, answerOtherMethods, describe, metrics } = await createInstance(config, services, log)
  await addRoutes(app, {
    operator: operatorHandlers(config, services, metrics),
    visitor: visitorHandlers(services),
    program: programHandlers(describe, services),
    browser: browserHandlers(log, config, services),
  })
  answerOtherMethods()
  return app
}

/** The handlers of the routes, by audience. */
interface Handlers {
  operator: ReturnType<typeof operatorHandlers>
  visitor: ReturnType<typeof visitorHandlers>
  program: ReturnType<typeof programHandlers>
  browser: ReturnType<typeof browserHandlers>
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

  await app.register((api) => addApiRoutes(api, program), { prefix: '/api' })
  await app.register((pages) => addPageRoutes(pages, browser))
}

/** Below `/api`. */
async function addApiRoutes(api: FastifyInstance, program: Handlers['program']): Promise<void> {
  allowEveryOrigin(api)
  readJsonBodies(api)
  handleUnknownPaths(api)
  api.post('/links', program.createLink)
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
  api.get('/manage/:token/stats', program.stats.byPath)
  api.get('/manage/stats', program.stats.byHeader)
  api.get('/manage/:token/scans.csv', program.scans.byPath)
  api.get('/manage/scans.csv', program.scans.byHeader)
  api.get('/manage/:token/stream', program.stream.byPath)
  api.get('/manage/stream', program.stream.byHeader)
  api.get('/manage/:token/history', program.history.read.byPath)
  api.get('/manage/history', program.history.read.byHeader)
  api.post('/manage/:token/revert', program.history.revert.byPath)
  api.post('/manage/revert', program.history.revert.byHeader)
  api.post('/manage/:token/rotate', program.rotation.byPath)
  api.post('/manage/rotate', program.rotation.byHeader)
  api.post('/reports', program.report)
  api.post('/domains', program.domain.register)
  api.get('/domains/:domain', program.domain.read)
  api.delete('/domains/:domain', program.domain.remove)
  api.get('/openapi.json', program.openApi)
  api.get('/problems', program.problems)
}

async function addPageRoutes(pages: FastifyInstance, browser: Handlers['browser']): Promise<void> {
  refuseEncodedBodies(pages)
  readForms(pages)
  pages.get('/', browser.homePage.show)
  pages.post('/', browser.homePage.create)
  pages.get('/m/:token', browser.ownerPage.show)
  pages.post('/m/:token', browser.ownerPage.act)
  pages.get('/report', browser.reportPage.show)
  pages.post('/report', browser.reportPage.report)
  pages.get('/assets/quirl.css', browser.styleSheet)
  pages.get('/assets/quirl.svg', browser.logo)
  // `/assets/<name>-<hash>.<ending>`
  for (const { path, route } of browser.builtAssets) pages.get(path, route)
}

function operatorHandlers({ contact }: Config, services: Services, further: MetricsNeeds['metrics']) {
  const { notReady, now, origin, domains } = services
  const { isInternal } = services.client
  return {
    health: healthRoutes(notReady),
    metrics: metricsRoute({ metrics: [...services.metrics, ...further], isInternal }),
    securityTxt: securityRoute({ now, origin, contact }),
    tlsAsk: tlsAskRoute({ domains, isInternal }),
  }
}

function visitorHandlers({ visits, qr, limits, origin }: Services) {
  const { linkOf } = visits
  const { images, codeText, designs } = qr
  const limitImages = limits.each('qr')
  const image = { origin, images, codeText, designOf: designs.of, linkOf, limitImages, clientOf: limits.clientOf }
  return {
    visit: visitRoutes(visits),
    preview: previewRoute(visits),
    files: fileRoutes(visits),
    codeImage: codeImageRoutes(image),
  }
}

function programHandlers(describe: DescribeApi, services: Services) {
  const { links, scans, qr, domains, abuse, limits, origin, now, onDrain } = services
  const { slots, clientOf } = limits
  const { images, codeSvg } = qr
  const limitImages = limits.each('qr')
  return {
    createLink: creationRoute({ links, origin, limits }),
    createLinks: bulkRoute({ links, origin, limits, codeSvg }),
    changeLinks: changesRoute({ links, origin, limits }),
    link: manageRoutes({ links, totals: scans.latestTotals, origin, limits }),
    history: historyRoutes({ links, totals: scans.latestTotals, origin, limits }),
    rotation: rotationRoutes({ links, origin, limits }),
    dataImage: dataImageRoute({ images, limitImages, clientOf }),
    designedImage: designRoute({ images, limitImages, clientOf }),
    stats: statsRoutes({ scans, links, slots, now }),
    scans: exportRoutes({ scans, links, slots }),
    stream: streamRoutes({ scans, links, slots, onDrain }),
    report: reportRoute({ report: abuse.report, origin, limitReports: limits.each('reports') }),
    domain: domainRoutes({ domains, limitDomains: limits.each('domains') }),
    openApi: openApiRoute(describe, origin),
    problems: problemsRoute(),
  }
}

function browserHandlers(log: FastifyBaseLogger, { contact }: Config, services: Services) {
  const { links, scans, qr, places, abuse, limits, origin } = services
  const totals = scans.latestTotals
  const { isCreditDue } = places
  const { codeText } = qr
  const built = readPreview(log)
  return {
    homePage: homeRoutes({ links, origin, limits }),
    ownerPage: ownerPageRoutes({ links, totals, origin, limits, isCreditDue, codeText, preview: built?.preview }),
    reportPage: reportPageRoutes({ report: abuse.report, origin, limitReports: limits.each('reports'), contact }),
    styleSheet: assetRoute(['base.css', 'designer.css', 'actions.css'], 'text/css; charset=utf-8'),
    logo: assetRoute(['quirl.svg'], 'image/svg+xml'),
    builtAssets: built?.files ?? [],
  }
}
