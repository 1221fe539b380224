import { maxHeaderSize, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import type { Config } from './config/config.ts'
import { guardDomains } from './domains/guard.ts'
import { BODY_LIMIT } from './http/body.ts'
import { compressResponses } from './http/compress.ts'
import { answerFrameworkError, createRequestIds, handleErrors } from './http/error-handler.ts'
import type { Drain } from './http/drain.ts'
import { isHealthPath } from './http/health.ts'
import { measureLoopDelay } from './http/loop-delay.ts'
import { createMemoryGuard, type MemoryShare } from './http/memory-guard.ts'
import { unifyMethod, watchRoutes } from './http/methods.ts'
import type { AnyMetric } from './http/metric.ts'
import { noCompilers } from './http/no-compilers.ts'
import { describeApi, type DescribeApi } from './http/openapi.ts'
import { createRequestMetrics } from './http/request-metrics.ts'
import { noteRefusals } from './http/refusals.ts'
import { connectionRefusals, createConnections, type Connections, type Timeouts } from './http/server.ts'
import { countResponses } from './http/response-memory.ts'
import { queryCompiler } from './http/validate.ts'
import { queueRequests } from './limits/admission-hooks.ts'
import { asHolder } from './lib/holder.ts'
import { works } from './limits/work.ts'
import type { Services } from './services.ts'
import { noteHttps } from './tls/https-policy.ts'
import { createFastPath, visitedCode } from './visits/fast-path.ts'
import { withoutSentence } from './visits/sentence.ts'
import { suspensionPages } from './web/suspension-pages.ts'

/** A server without routes, with the hooks of all routes. */
export interface Instance {
  app: FastifyInstance
  /** To be called after the last route. */
  answerOtherMethods: () => void
  describe: DescribeApi
  metrics: AnyMetric[]
}

export async function createInstance(
  config: Config,
  services: Services,
  log: FastifyBaseLogger,
  timeouts: Partial<Timeouts>,
): Promise<Instance> {
  const { links, limits, domains, origin, monotonic, unavailability } = services
  const { admission, holderOf } = limits
  const { contact, baseUrl } = config
  const measured = createRequestMetrics(measuredKinds)
  const onVisit = (response: ServerResponse) => measured.onResponse('visits', response)
  const { app, connections } = createServer(services, log, timeouts, onVisit)
  const shares = [...services.connections.shares, ...connections.memoryShares, ...services.webhooks.memoryShares]
  const ofProcess = watchProcess(app, shares)
  const { isLate } = finishOnStop(app, connections, services)
  measured.watch(app, ({ routeOptions }) => {
    const { work = 'pages' } = routeOptions.config
    return work === 'immediate' ? undefined : work
  })
  const answerOtherMethods = watchRoutes(app, links.reserve)
  noteRefusals(app, () => connectionRefusals)
  noteHttps(app)
  app.setValidatorCompiler(queryCompiler)
  app.setSerializerCompiler(() => (data) => JSON.stringify(data))
  app.server.on('connection', admission.onConnection)
  queueRequests(app, { admission, holderOf, isLate, monotonic })
  handleErrors(app, {
    monotonic,
    unavailability,
    pages: suspensionPages({ contact, origin }),
    chargeNotFound: limits.chargeNotFound,
  })
  compressResponses(app, holderOf)
  countResponses(app, connections.responseMemory)
  guardDomains(app, domains, config.tls ? baseUrl : undefined)
  const describe = describeApi(app, services.version)
  const metrics = [...admission.metrics, ...connections.metrics, ...measured.metrics, ...ofProcess]
  return { app, answerOtherMethods, describe, metrics }
}

/** Looks at the event loop and at the memory, which the largest of `shares` leave while it is short. */
function watchProcess(app: FastifyInstance, shares: readonly MemoryShare[]): AnyMetric[] {
  const loopDelay = measureLoopDelay()
  const memory = createMemoryGuard({
    shares,
    onChange(isShort, kind) {
      if (isShort) app.log.warn({ kind }, 'memory runs short: those who hold most of it lose connections and requests')
      else app.log.info('there is enough memory again')
    },
  })
  app.addHook('onClose', async () => {
    loopDelay.stop()
    memory.stop()
  })
  return [loopDelay.metric, ...memory.metrics]
}

/** When the service stops, its server finishes what had begun, and then closes each connection. */
function finishOnStop(app: FastifyInstance, { drainOf }: Connections, { onDrain }: Services): Drain {
  const drain = drainOf(app.server)
  if (drain === undefined) throw new Error('unreachable')
  onDrain(drain.begin)
  app.addHook('preClose', drain.close)
  return drain
}

/** The kinds of requests whose responses are measured. */
const measuredKinds = ['visits', ...works] as const

function createPriority(isReserved: Services['links']['isReserved']) {
  return ({ method, url = '' }: IncomingMessage) => {
    if (method !== 'GET' && method !== 'HEAD') return 'other'
    if (isHealthPath(url)) return 'urgent'
    return visitedCode(url, isReserved) === undefined ? 'other' : 'visit'
  }
}

/** The fast path handles most visits, before the router. */
function createServer(
  { visits, scans, links: { isReserved }, tls, client, limits, connections: limit }: Services,
  log: FastifyBaseLogger,
  timeouts: Partial<Timeouts>,
  onVisit: (response: ServerResponse) => void,
) {
  const nextRequestId = createRequestIds()
  const answeredFast = createFastPath(visits, scans, isReserved, onVisit)
  const priorityOf = createPriority(isReserved)
  const holderOf = (request: IncomingMessage) => asHolder(client.of(request))
  const isProxied = (socket: Socket) => client.isProxied({ socket })
  const { undecrypted } = limit
  const needs = { nextRequestId, holderOf, isProxied, undecrypted, onBodyTimeout: limits.chargeLate }
  const connections = createConnections(needs, timeouts)
  limit.observe(connections.state)
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: nextRequestId,
    bodyLimit: BODY_LIMIT,
    // `http/drain.ts` tells late requests from those that had begun.
    return503OnClosing: false,
    schemaController: { compilersFactory: noCompilers },
    // Parameters may be as long as a URL: the handlers check their length, with errors of their own.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: maxHeaderSize },
    frameworkErrors: answerFrameworkError,
    clientErrorHandler: connections.onParserError,
    serverFactory: (handler) =>
      connections.serve((request, response) => {
        if (tls?.applyPolicy(request, response) === true) return
        if (answeredFast(request, response)) return
        request.url = withoutSentence(request.url ?? '', isReserved)
        unifyMethod(request)
        handler(request, response)
      }, priorityOf),
  })
  // One logger for all: a child for each request would slow every visit, and errors log their request_id themselves.
  app.setChildLoggerFactory((logger) => logger)
  return { app, connections }
}
