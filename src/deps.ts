import * as os from 'node:os'
import type { FastifyBaseLogger } from 'fastify'
import { openAbuse, type Abuse } from './abuse/open.ts'
import { explainStart } from './db/open.ts'
import type { Database } from './db/database.ts'
import type { Sync } from './db/session.ts'
import type { Config } from './config/config.ts'
import { withOperator } from './deps/operator.ts'
import { createNotReady } from './deps/readiness.ts'
import { openStore } from './deps/store.ts'
import { createConnectionBound, type ConnectionBound } from './http/connection-bound.ts'
import { createClientAddress, type ClientAddress } from './http/client-address.ts'
import type { Metric } from './http/metrics.ts'
import { openDomains, type Domains } from './domains/domains.ts'
import type { Machine } from './http/local-hosts.ts'
import { createOrigin, type Origin } from './http/origin.ts'
import { createClosing, type Closing } from './lib/closing.ts'
import { createDraining } from './lib/draining.ts'
import type { Link, Totals } from './links/link.ts'
import { openLinkIds, type LinkIds } from './links/ids.ts'
import { instanceOf } from './links/instance.ts'
import { linkIdsOf, linkOfToken } from './links/manage.ts'
import { createReplays, type Replays } from './links/replay.ts'
import { createVisitedOf } from './links/visited.ts'
import { createAdmission, type Admission, type AdmissionOptions } from './limits/admission.ts'
import { createPlaces, type PlaceBounds, type Places } from './limits/at-once.ts'
import { createLimits, type Limits } from './limits/limits.ts'
import { quotasOf } from './limits/quotas.ts'
import { openPlaces, type Places as Geo } from './places/open.ts'
import { openQr, type Qr } from './qr/open.ts'
import { openDescribe } from './scans/open-describe.ts'
import { openRecorder, type Recorder } from './scans/recorder.ts'
import { createLinkOf, type LinkOf } from './visits/link-of.ts'
import { createResolver, type Resolver } from './visits/resolve.ts'
import { createTls, type Tls } from './tls/tls.ts'
import type { VisitDeps } from './visits/routes.ts'

const forgottenProxy =
  'X-Forwarded-For comes from a private address that is not in TRUST_PROXY and is ignored: if that is your proxy, name it there'

/** What the features need, open. */
export interface Deps extends Qr {
  version: string
  /** The time of day, which may be set back. For how long something took or may take, `monotonic`. */
  now: () => number
  monotonic: () => number
  db: Database
  ids: LinkIds
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
  geo: Geo
  record: VisitDeps['record']
  totals: (linkId: number) => Promise<Totals>
  changed: (code: string) => void
  forget: (linkId: number) => void
  linkOf: LinkOf
  linkOfToken: (token: string) => Promise<Link>
  limits: Limits & { places: Places }
  admission: Admission
  connections: ConnectionBound
  isInternal: ClientAddress['isInternal']
  metrics: Metric[]
  notReady: () => Promise<string | undefined>
  /** Whether an error means that the store is away or damaged; it is remembered then. */
  isUnavailable: (error: unknown) => boolean
  onDrain: (listener: () => void) => () => void
  /** From now on the service is not ready; what could go on for ever is ended. */
  drain: () => void
  /** Closes everything in reverse, each also when another fails; what fails is logged. @throws when anything did */
  close: Closing['close']
}

/** What surrounds the program. */
export interface Environment {
  version: string
  /** Where the service listens, once it does. */
  port: () => number
  log: Pick<FastifyBaseLogger, 'error' | 'warn'>
  now?: () => number
  monotonic?: () => number
  /** What the system says of this machine. */
  machine?: Machine
  /** How long a sweep of all links waits after the lists have changed, when it is not the usual time. */
  settleMs?: number
  /** How long an image may wait, and then take to draw, in milliseconds each, when it is not the usual time. */
  drawMs?: number
  /** How long a request for statistics waits for the newest scans, when it is not the usual time. */
  foldWaitMs?: number
  /** How a change is brought to the disk, when it is not the usual way. */
  sync?: Sync
  /** What may be under way at the same time, when it is not the usual amount. */
  places?: PlaceBounds
  /** How much work may wait and be under way, when it is not the usual amount. */
  work?: AdmissionOptions['bounds']
}

/**
 * Opens everything in order, to be closed in reverse; a start that fails closes what it has opened.
 * @throws {StartError} when the data folder cannot be used
 */
export async function openDeps(config: Config, environment: Environment): Promise<Deps> {
  const onFault = (err: unknown, name: string) => environment.log.error({ err }, `${name} could not be closed`)
  const closing = createClosing(onFault)
  try {
    const clocks = { now: Date.now, monotonic: () => performance.now() }
    const deps = await open(config, { ...clocks, ...environment }, closing)
    return await withOperator(withTls(deps, config, environment, closing), config, environment.log, closing)
  } catch (error) {
    // What failed first is the reason; the faults that follow are logged.
    await closing.close().catch(() => {})
    throw explainStart(error, config.dataDir)
  }
}

type Surroundings = Environment & Pick<Deps, 'now' | 'monotonic'>

async function open(config: Config, environment: Surroundings, closing: Closing): Promise<Deps> {
  const { version, port, log, now, monotonic, machine = os } = environment
  const { baseUrl, dnsServers: servers } = config
  const draining = createDraining()
  const { db, faults, onReopened } = await openStore(config, environment, draining.begun)
  closing.add('the store', () => db.close())
  const ids = await openLinkIds(db)
  const domains = await openDomains({ db, baseUrl, servers, now, monotonic, log })
  closing.add('domains', domains.close)
  const origin = createOrigin({ baseUrl, port, statusOf: domains.statusOf, machine, monotonic })
  const resolver = createResolver(createVisitedOf(db), monotonic)
  const recorder = await openScans(config, environment, { db, ids })
  closing.add('the recording of scans', recorder.close)
  const client = createClientAddress(config.trustProxy ?? [], () => log.warn(forgottenProxy))
  const geo = openPlaces({ sources: config.geoipDb, dataDir: config.dataDir, now, monotonic, fetch, log })
  closing.add('the databases of places', geo.close)
  const described = { countryHeader: config.geoHeaders, findPlace: geo.find, isOwnHost: origin.isOwnHost }
  const describe = openDescribe({ ...described, keys: recorder.keys, client, now })
  const abuse = await openAbuse({ ...environment, ...config, db, fetch, owns: origin.owns, changed: resolver.forget })
  closing.add('the abuse lists', abuse.close)
  onReopened.push(resolver.forgetAll, recorder.reread, abuse.reread)
  const admission = createAdmission({ monotonic, first: recorder.flush, bounds: environment.work })
  const qr = openQr(db, () => admission.waiting('images'), environment.drawMs)
  closing.add('the drawing of images', qr.images.close)
  const connections = createConnectionBound()
  return {
    version,
    now,
    monotonic,
    db,
    ids,
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
    totals: (linkId) => recorder.settle().then(() => recorder.totals(linkId)),
    changed: resolver.forget,
    forget: recorder.purge,
    linkOf: createLinkOf(resolver),
    linkOfToken: (token) => linkOfToken({ db }, token),
    limits: { ...createLimits(quotasOf(config), client, monotonic), places: createPlaces(client, environment.places) },
    isInternal: client.isInternal,
    admission,
    connections,
    geo,
    metrics: [recorder, abuse, geo, connections, faults].flatMap(({ metrics }) => metrics),
    notReady: createNotReady(db, faults, draining, recorder, abuse),
    isUnavailable: faults.note,
    onDrain: draining.onBegin,
    drain: draining.begin,
    close: closing.close,
  }
}

function withTls(deps: Deps, config: Config, { log }: Environment, closing: Closing): Deps {
  if (!config.tls) return deps
  const tls = createTls(config, { ...deps, log })
  closing.add('HTTPS', tls.close)
  deps.onDrain(() => void tls.close())
  return { ...deps, tls }
}

function openScans(
  config: Config,
  environment: Surroundings,
  { db, ids }: Pick<Deps, 'db' | 'ids'>,
): Promise<Recorder> {
  return openRecorder({
    ...environment,
    dataDir: config.dataDir,
    sync: config.scanSync === 'power',
    retention: config.scanRetention,
    links: { ...linkIdsOf({ db }), ...instanceOf(db), newest: ids.newest },
    waitMs: environment.foldWaitMs,
  })
}
