import * as os from 'node:os'
import { listSourcesOf } from './abuse/list-sources.ts'
import { openAbuse, type Abuse, type AbuseNeeds } from './abuse/open.ts'
import type { Bus } from './bus/bus.ts'
import type { Config } from './config/config.ts'
import type { Database } from './db/database.ts'
import { toStartError } from './db/open.ts'
import { openRemovalClock, type RemovalClock } from './db/removal-clock.ts'
import type { Disk } from './disk/open.ts'
import type { StoreFaults } from './db/store-faults.ts'
import { openDomains, type Domains } from './domains/open.ts'
import { createClientAddress, untrustedProxyWarning, type ClientAddress } from './http/client-address.ts'
import { createConnectionLimit, type ConnectionLimit } from './http/connection-limit.ts'
import type { AnyMetric } from './http/metric.ts'
import { openKeys, type Keys } from './keys/open.ts'
import { instanceDigest } from './http/health.ts'
import { createOrigin, type Origin } from './http/origin.ts'
import { createClosing, type Closing } from './lib/closing.ts'
import { createDraining, type Draining } from './lib/draining.ts'
import type { Limits } from './limits/open.ts'
import { openLinkRegistry } from './links/link-registry.ts'
import { openLinks, type Links } from './links/open.ts'
import { openPlaces, type Places } from './places/open.ts'
import { openQr, type Qr } from './qr/open.ts'
import { openScans, type Scans } from './scans/open.ts'
import { createCollecting } from './collections/collecting.ts'
import { openCollections, type Collections } from './collections/open.ts'
import { openShares, type Shares } from './shares/open.ts'
import { openBus } from './services/bus.ts'
import { passChangesOn, shareLinkChanges } from './services/changes.ts'
import type { Clocks, Environment, Open } from './services/environment.ts'
import { openDisk } from './disk/open.ts'
import { openConfiguredLimits } from './services/limits.ts'
import { allMetrics } from './services/metrics.ts'
import { openForOperators, operatorOperations } from './services/operator.ts'
import { createNotReady } from './services/readiness.ts'
import { chooseWarehouse } from './services/scans.ts'
import { openStore, type Store } from './services/store.ts'
import { openTls, type Tls } from './tls/open.ts'
import { openVisits, type Visits } from './visits/open.ts'
import { openWebhooks, type Webhooks } from './webhooks/open.ts'

/** The open features, and what they share. */
export interface Services extends Clocks, Pick<Store, 'holdChanges'> {
  links: Links
  visits: Visits
  disk: Disk
  scans: Scans
  qr: Qr
  places: Places
  domains: Domains
  abuse: Abuse
  keys: Keys
  webhooks: Webhooks
  limits: Limits
  shares: Shares
  collections: Collections
  /** The service's own HTTPS, when it is on. */
  tls: Tls | undefined

  version: string
  instance: string // The digest of the store's id.
  clock: RemovalClock
  removalTime: RemovalClock['time']
  db: Database
  bus: Bus
  origin: Origin
  client: ClientAddress
  connections: ConnectionLimit
  metrics: AnyMetric[]
  /** Why the service is not ready for requests; undefined when it is. */
  notReady: () => Promise<string | undefined>
  /** Records an error that means that the store is unavailable or damaged; returns what to answer, undefined for any other. */
  unavailability: StoreFaults['note']
  /** Calls back when the service is about to stop, until the returned function is called. */
  onDrain: Draining['onBegin']
  /** Makes the service not ready, ends streams, and resolves when what had begun is finished, after the given time at most. */
  drain: Draining['begin']
  /** Closes everything in reverse order, each even if another fails, and logs errors. @throws when any failed */
  close: Closing['close']
}

/**
 * Opens everything in order, to be closed in reverse order; a failed start closes everything that it has opened.
 * @throws {StartError} when the data folder cannot be used
 */
export async function openServices(config: Config, environment: Environment): Promise<Services> {
  const { log } = environment
  const closing = createClosing((err, name) => log.error({ err }, `${name} could not be closed`))
  const open: Open = (name, opened) => {
    closing.add(name, opened.close)
    return opened
  }
  const clocks = { now: Date.now, monotonic: () => performance.now() }
  try {
    const services = await openFeatures(config, { ...clocks, ...environment }, open, closing.close)
    open('the socket for commands', await openForOperators(config.dataDir, operatorOperations(config, services), log))
    return services
  } catch (error) {
    // The first error is the reason; errors of closing are logged.
    await closing.close().catch(() => {})
    throw toStartError(error, config.dataDir)
  }
}

/** Opens what every feature needs: the store, the clocks, the domains, the origin and the client's address. */
async function openFoundation(config: Config, environment: Environment & Clocks, open: Open) {
  const { port, log, now, monotonic, machine = os } = environment
  const { baseUrl, dnsServers: servers, dataDir, diskFloor: floor, databaseUrl } = config
  const draining = createDraining()
  const hasServed = draining.begun
  const { sync, postgresTimes } = environment
  const disk = open(
    'the watch of the disk',
    openDisk({ ...environment.disk, dataDir, floor, hasStore: databaseUrl === undefined, monotonic, log }),
  )
  const kept = { sync, postgresTimes, hasServed, disk }
  const store = open('the store', await openStore({ ...config, ...kept, now, monotonic, log }))
  const clock = open('the clock', openRemovalClock({ db: store.db, now, log }))
  const removalTime = clock.time
  const bus = open('the bus', await openBus(config, { monotonic, log, times: postgresTimes }))
  const domains = open(
    'domains',
    await openDomains({ db: store.db, bus, baseUrl, servers, now, removalTime, monotonic, log }),
  )
  const origin = createOrigin({ baseUrl, port, leadsHere: domains.leadsHere, machine, monotonic, log })
  const client = createClientAddress(config.trustProxy ?? [], () => log.warn(untrustedProxyWarning))
  const times = { now, removalTime, monotonic }
  return { ...times, times, clock, log, draining, disk, store, bus, domains, origin, client }
}

type Foundation = Awaited<ReturnType<typeof openFoundation>>

/** Opens the features that resolve and record visits. */
async function openRecording(config: Config, environment: Environment, foundation: Foundation, open: Open) {
  const { now, removalTime, clock, monotonic, log, disk, store, bus, origin, client } = foundation
  const { dataDir, geoipDb: sources, geoHeaders: countryHeader, scanSync, scanRetention: retention } = config
  const ids = await openLinkRegistry(store.db)
  const places = open('the databases of places', openPlaces({ sources, dataDir, now, monotonic, fetch, log }))
  const openWarehouse = await chooseWarehouse(config, {
    db: store.db,
    times: environment.postgresTimes,
    disk,
    now,
    log,
  })
  const how = { sync: scanSync === 'power', waitMs: environment.foldWaitMs }
  const recorded = { dataDir, openWarehouse, retention, removalTime, ...how, links: ids, disk }
  const described = { client, countryHeader, findPlace: places.find, isOwnHost: origin.isOwnHost }
  const scans = open('the recording of scans', await openScans({ ...recorded, ...described, now, monotonic, log }))
  const visits = open('visits', openVisits({ db: store.db, lifeMs: bus.lifeMs, scans, monotonic }))
  const webhooks = open('webhooks', openWebhooks(config, { ...foundation, scans }, environment.webhooks))
  void clock.check()
  return { ids, places, scans, visits, webhooks, changes: shareLinkChanges(bus, visits, scans) }
}

type Recording = Awaited<ReturnType<typeof openRecording>>

/** What is the service's own: lists say nothing of it. */
function ownHostOf({ origin, domains }: Foundation): Pick<AbuseNeeds, 'isOwnHost' | 'ownHost'> {
  return { isOwnHost: origin.isServiceHost, ownHost: domains.host }
}

/** Opens the features that create links: screening, limits and QR images. */
async function openCreation(
  config: Config,
  environment: Environment,
  foundation: Foundation,
  recording: Recording,
  open: Open,
) {
  const { now, clock, removalTime, monotonic, log, client, disk, store, bus } = foundation
  const { db } = store
  const { owns } = foundation.origin
  const { ids, scans, webhooks, changes } = recording
  const { invalidate } = changes
  const { dataDir, qrMarker: marker, reportThreshold: threshold } = config
  const { sweepWaitMs, slots, work, queueMs, redisMs, drawing, scrypt } = environment
  const sources = listSourcesOf(config, environment.recommendedLists)
  const screened = { db, bus, dataDir, sources, owns, invalidate, webhooks, threshold, fetch, sweepWaitMs }
  const abuse = open('the abuse lists', await openAbuse({ ...screened, ...ownHostOf(foundation), now, monotonic, log }))
  webhooks.screenWith(abuse.screen)
  const calls = { beforeSlice: scans.flush, isDiskLow: disk.isLow }
  const limited = { db, client, slots, work, queueMs, redisMs, now, monotonic, log, ...calls }
  const limits = open('limits', await openConfiguredLimits(config, limited))
  const waiting = () => limits.admission.waiting('images')
  const qr = open('the drawing of images', openQr({ db, marker, waiting, drawing }))
  const hashing = { passwordTurn: limits.passwordTurn, scrypt }
  const { screen, screenedBy } = abuse
  const needed = { db, ids, owns, webhooks, ...changes, addImported: scans.addImported, now, screen, screenedBy }
  const removing = { removalTime, latestTime: clock.latest, monotonic, log }
  const keys = openKeys({ db, mode: config.create, chargeNotFound: limits.chargeNotFound, now })
  const { designs } = qr
  const { ofCollections } = webhooks
  const collecting = createCollecting(db, now, ofCollections)
  const links = open('links', openLinks({ ...needed, ...hashing, ...removing, designs, collecting }))
  const collections = openCollections({ ...needed, links, designs, webhooks: ofCollections })
  return { abuse, limits, qr, links, keys, collections }
}

async function openFeatures(
  config: Config,
  environment: Environment & Clocks,
  open: Open,
  close: Services['close'],
): Promise<Services> {
  const foundation = await openFoundation(config, environment, open)
  const { now, times, clock, log, draining, disk, store, bus, domains, origin, client } = foundation
  const { db, faults, holdChanges } = store
  const recording = await openRecording(config, environment, foundation, open)
  const { places, scans, visits, webhooks } = recording
  const created = await openCreation(config, environment, foundation, recording, open)
  const tls = config.tls ? open('HTTPS', openTls(config, { db, bus, domains, client, ...times, log })) : undefined
  passChangesOn(bus, { visits, scans, abuse: created.abuse, domains, tls }, store.onReopened)
  if (tls !== undefined) draining.onBegin(tls.drain)
  const connections = createConnectionLimit({ client })
  const notReady = createNotReady(store, draining, disk, scans, created.abuse)
  const features = { ...created, visits, disk, scans, places, domains, webhooks, tls }
  const measured = { ...features, clock, connections, faults, bus, certificates: tls?.certificates }
  return {
    ...features,
    shares: openShares({ db, now }),
    version: environment.version,
    instance: instanceDigest(await recording.ids.id()),
    ...times,
    clock,
    db,
    bus,
    holdChanges,
    origin,
    client,
    connections,
    metrics: allMetrics({ ...config, ...environment, notReady }, measured),
    notReady,
    unavailability: faults.note,
    onDrain: draining.onBegin,
    drain: draining.begin,
    close,
  }
}
