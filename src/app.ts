import { maxHeaderSize, type IncomingMessage } from 'node:http'
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import type { Config } from './config/config.ts'
import type { Deps } from './deps.ts'
import { BODY_LIMIT, readJsonBodies, refuseEncodedBodies } from './http/body.ts'
import { allowEveryOrigin } from './http/cors.ts'
import { answerFrameworkError, handleErrors, handleUnknownPaths, createRequestIds } from './http/error-handler.ts'
import { healthRoutes, isHealthPath } from './http/health.ts'
import { metricsRoutes } from './http/metrics.ts'
import { watchRoutes } from './http/methods.ts'
import { describeApi, openApiRoutes } from './http/openapi.ts'
import { createConnections } from './http/server.ts'
import { boundUnread } from './http/unread.ts'
import { queryCompiler } from './http/validate.ts'
import { reportRoutes, securityRoutes } from './abuse/routes.ts'
import { askRoutes } from './domains/ask.ts'
import { guardDomains } from './domains/guard.ts'
import { domainRoutes } from './domains/routes.ts'
import { createReserved } from './links/code.ts'
import { bulkRoutes } from './links/bulk-routes.ts'
import { linkRoutes } from './links/routes.ts'
import { admitInTurn } from './limits/admission-hooks.ts'
import { codeSvg, codeText } from './qr/code-image.ts'
import { designRoute } from './qr/design-route.ts'
import { codeImageRoutes, dataImageRoutes } from './qr/routes.ts'
import { scanRoutes } from './scans/routes.ts'
import { createFastPath, visitedCode } from './visits/fast-path.ts'
import { visitRoutes } from './visits/routes.ts'
import { removalPages } from './web/removal-pages.ts'
import { webRoutes } from './web/routes.ts'

/** Every route and every hook of the service. */
export async function createApp(config: Config, deps: Deps, log: FastifyBaseLogger): Promise<FastifyInstance> {
  const nextRequestId = createRequestIds()
  const answeredFast = createFastPath(deps, (code) => isReserved(code))
  const rankOf = ({ method, url = '' }: IncomingMessage) => {
    if (method !== 'GET' && method !== 'HEAD') return 'other'
    if (isHealthPath(url)) return 'urgent'
    return visitedCode(url, isReserved) === undefined ? 'other' : 'visit'
  }
  const connections = createConnections(nextRequestId)
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: nextRequestId,
    bodyLimit: BODY_LIMIT,
    // Parameters as long as a URL can be: their length is for the handler to judge, in our words.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: maxHeaderSize },
    frameworkErrors: answerFrameworkError,
    clientErrorHandler: connections.onParserError,
    serverFactory: (handler) =>
      connections.serve((request, response) => {
        if (deps.tls?.front(request, response) === true) return
        if (!answeredFast(request, response)) handler(request, response)
      }, rankOf),
  })
  // One logger for all: a child for each request would cost every visit, and faults name their request_id themselves.
  app.setChildLoggerFactory((logger) => logger)
  const routes = watchRoutes(app)
  const isReserved = createReserved(routes.firstWords)
  const imageText = (code: string, origin: string) => codeText(code, origin, { marker: config.qrMarker })
  const links = {
    ...deps,
    isReserved,
    designs: {
      ...deps.designs,
      check: (design: unknown, code: string, { origin, client }: { origin: string; client: string }) =>
        deps.designs.check(design, imageText(code, origin), client),
    },
    codeText: imageText,
    codeSvg: (code: string, origin: string) => codeSvg(deps.images, imageText(code, origin)),
  }
  const limitReports = deps.limits.each('reports')
  const { each, clientOf } = deps.limits
  const qr = { ...deps, marker: config.qrMarker, designOf: deps.designs.of, limitImages: each('qr'), clientOf }
  app.setValidatorCompiler(queryCompiler)
  app.setSerializerCompiler(() => (data) => JSON.stringify(data))
  app.server.on('connection', deps.admission.arrived)
  admitInTurn(app, { ...deps, clientOf })
  handleErrors(app, { ...deps, pages: removalPages(config), onMiss: deps.limits.miss })
  boundUnread(app, connections.unread)
  guardDomains(app, deps.domains, config.tls ? config.baseUrl : undefined)
  await describeApi(app, deps.version)

  healthRoutes(app, deps)
  metricsRoutes(app, { ...deps, metrics: [...deps.metrics, ...deps.admission.metrics, ...connections.metrics] })
  securityRoutes(app, { ...deps, contact: config.contact })
  askRoutes(app, deps)
  visitRoutes(app, deps)
  codeImageRoutes(app, qr)
  await app.register(
    async (api) => {
      allowEveryOrigin(api)
      readJsonBodies(api)
      handleUnknownPaths(api)
      linkRoutes(api, links)
      await api.register(async (bulk) => bulkRoutes(bulk, links))
      dataImageRoutes(api, qr)
      designRoute(api, qr)
      scanRoutes(api, deps)
      reportRoutes(api, { ...deps, limitReports })
      domainRoutes(api, { ...deps, limitDomains: deps.limits.each('domains') })
      openApiRoutes(api, deps.origin)
    },
    { prefix: '/api' },
  )
  await app.register(async (web) => {
    refuseEncodedBodies(web)
    webRoutes(web, { ...links, contact: config.contact, limitReports })
  })

  routes.answerOtherMethods()
  return app
}
