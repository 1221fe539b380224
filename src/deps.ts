import * as os from 'node:os'
import type { FastifyBaseLogger } from 'fastify'
import { openAbuse, type Abuse } from './abuse/open.ts'
import { isStoreUnavailable, openDatabase } from './db/open.ts'
import type { Database } from './db/database.ts'
import type { Config } from './config/config.ts'
import { quotasOf } from './config/limits.ts'
import { openAdminSocket, type AdminOperations } from './http/admin-socket.ts'
import { createClientAddress, type ClientAddress } from './http/client-address.ts'
import type { Metric } from './http/metrics.ts'
import { openDomains, type Domains } from './domains/domains.ts'
import { domainOperations } from './domains/operator.ts'
import type { Machine } from './http/local-hosts.ts'
import { createOrigin, type Origin } from './http/origin.ts'
import { createDraining, type Draining } from './lib/draining.ts'
import type { Link, Totals } from './links/link.ts'
import { existingLinks, linkOfCode, linkOfToken } from './links/manage.ts'
import { createReplays, type Replays } from './links/replay.ts'
import { createPlaces, type PlaceBounds, type Places } from './limits/at-once.ts'
import { createLimits, type Limits } from './limits/limits.ts'
import { openQr, type Qr } from './qr/open.ts'
import { createAgentReader } from './scans/agent.ts'
import { createDescribe, type Describe } from './scans/describe.ts'
import { openPlaces } from './scans/place.ts'
import { openRecorder, type Recorder } from './scans/recorder.ts'
import { createReferrerReader } from './scans/referrer.ts'
import { createLinkOf, type LinkOf } from './visits/link-of.ts'
import { createResolver, type Resolver } from './visits/resolve.ts'
import { certificateOperations } from './tls/operator.ts'
import { createTls, type Tls } from './tls/tls.ts'
import type { VisitDeps } from './visits/routes.ts'

const forgottenProxy =
  'X-Forwarded-For comes from a private address that is not in TRUST_PROXY and is ignored: if that is your proxy, name it there'

/** What the features need, open. */
export interface Deps extends Qr {
  version: string
  now: () => number
  db: Database
  origin: Origin
  owns: (url: URL) => boolean
  abuse: Abuse
  screen: Abuse['screen']
  replays: Replays
  resolver: Resolver
  domains: Domains
  /** HTTPS of our own, when it is on. */
  tls?: Tls
  recorder: Recorder
  record: VisitDeps['record']
  totals: (linkId: number) => Promise<Totals>
  changed: (code: string) => void
  forget: (linkId: number) => Promise<void>
  linkOf: LinkOf
  linkOfToken: (token: string) => Promise<Link>
  limits: Limits & { places: Places }
  isInternal: ClientAddress['isInternal']
  metrics: Metric[]
  notReady: () => Promise<string | undefined>
  isUnavailable: (error: unknown) => boolean
  onDrain: (listener: () => void) => () => void
  /** From now on the service is not ready; what could go on for ever is ended. */
  drain: () => void
  close: () => Promise<void>
}

/** What surrounds the program. */
export interface Environment {
  version: string
  /** Where the service listens, once it does. */
  port: () => number
  log: Pick<FastifyBaseLogger, 'error' | 'warn'>
  now?: () => number
  /** What the system says of this machine. */
  machine?: Machine
  /** How long a sweep of all links waits after the lists have changed, when it is not the usual time. */
  settleMs?: number
  /** How long an image may wait, and then take to draw, in milliseconds each, when it is not the usual time. */
  drawMs?: number
  /** How long a request for statistics waits for the newest scans, when it is not the usual time. */
  foldWaitMs?: number
  /** What may be under way at the same time, when it is not the usual amount. */
  places?: PlaceBounds
}

/**
 * Opens everything in order, to be closed in reverse.
 * @throws {StartError} when the data folder cannot be used
 */
export async function openDeps(config: Config, environment: Environment): Promise<Deps> {
  const { version, port, log, now = Date.now, machine = os } = environment
  const db = await openDatabase(config.dataDir, now)
  const domains = await openDomains({ db, baseUrl: config.baseUrl, servers: config.dnsServers, now, log })
  const origin = createOrigin({ baseUrl: config.baseUrl, port, statusOf: domains.statusOf, machine, now })
  const resolver = createResolver((code) => linkOfCode({ db }, code), now)
  const recorder = await openRecorder({
    dataDir: config.dataDir,
    sync: config.scanSync === 'power',
    retention: config.scanRetention,
    now,
    existing: (ids) => existingLinks({ db }, ids),
    log,
    waitMs: environment.foldWaitMs,
  })
  const client = createClientAddress(config.trustProxy ?? [], () => log.warn(forgottenProxy))
  const describe = await openDescribe(config, recorder, origin, client, environment)
  const context = { db, now, fetch, owns: origin.owns, changed: resolver.forget }
  const abuse = await openAbuse({ ...environment, ...config, ...context })
  const draining = createDraining()
  const qr = openQr(db, environment.drawMs)
  const deps: Deps = {
    version,
    now,
    db,
    origin,
    owns: origin.owns,
    abuse,
    screen: abuse.screen,
    replays: createReplays(db, now),
    resolver,
    domains,
    recorder,
    ...qr,
    record: (request, linkId, recorded) => recorder.record(describe(request, linkId), recorded),
    async totals(linkId) {
      await recorder.settle()
      return recorder.totals(linkId)
    },
    changed: resolver.forget,
    forget: recorder.purge,
    linkOf: createLinkOf(resolver),
    linkOfToken: (token) => linkOfToken({ db }, token),
    limits: { ...createLimits(quotasOf(config), client, now), places: createPlaces(client, environment.places) },
    isInternal: client.isInternal,
    metrics: [...recorder.metrics, ...abuse.metrics],
    notReady: createNotReady(db, draining, recorder, abuse),
    isUnavailable: isStoreUnavailable,
    onDrain: draining.onBegin,
    drain: draining.begin,
    async close() {
      await qr.images.close()
      await abuse.close()
      domains.close()
      await recorder.close()
      await db.close()
    },
  }
  return withOperator(await withTls(deps, config, environment), config, log)
}

async function withTls(deps: Deps, config: Config, { log }: Environment): Promise<Deps> {
  if (!config.tls) return deps
  try {
    const tls = createTls(config, { ...deps, log })
    deps.onDrain(() => void tls.close())
    return { ...deps, tls }
  } catch (error) {
    await deps.close()
    throw error
  }
}

/** Lets operators ask for what `quirl <command>` offers: one entry for each operation. */
async function withOperator(deps: Deps, { dataDir }: Config, log: Environment['log']): Promise<Deps> {
  const operations: AdminOperations = {
    status: async () => ({ version: deps.version, not_ready: (await deps.notReady()) ?? null }),
    ...deps.abuse.operations,
    ...domainOperations(deps.domains),
    ...certificateOperations(deps.tls?.certificates),
  }
  const onFault = (error: unknown, operation: string) => log.error({ err: error, operation }, 'a command failed')
  const socket = await openAdminSocket(dataDir, operations, onFault).catch((error: unknown) => {
    log.warn({ err: error }, 'administrative commands cannot reach this service: DATA_DIR takes no Unix socket')
  })
  return {
    ...deps,
    async close() {
      await socket?.close()
      await deps.close()
    },
  }
}

async function openDescribe(
  config: Config,
  recorder: Recorder,
  origin: Origin,
  client: ClientAddress,
  { log, now = Date.now }: Environment,
): Promise<Describe> {
  const places = await openPlaces(config.geoipDb, now)
  for (const warning of places.warnings) log.warn(warning)
  return createDescribe({
    now,
    keys: recorder.keys,
    client,
    readAgent: createAgentReader(),
    readReferrer: createReferrerReader(origin.isOwnHost),
    findPlace: places.find,
    countryHeader: config.geoHeaders,
  })
}

function createNotReady(db: Database, draining: Draining, recorder: Recorder, abuse: Abuse): Deps['notReady'] {
  return async () => {
    if (draining.begun()) return 'the service is stopping'
    if (recorder.failing()) return 'scans cannot be recorded'
    await db.read.selectFrom('migrations').select('number').limit(1).execute()
    return abuse.notReady()
  }
}
