import type { FastifyBaseLogger } from 'fastify'
import type { CollectionWebhooks } from '../collections/webhooks.ts'
import type { Database } from '../db/database.ts'
import { createRunQueries } from '../domains/dns-query.ts'
import type { MemoryShare } from '../http/memory-guard.ts'
import type { Metric } from '../http/metric.ts'
import { createBackgroundTasks } from '../lib/background-tasks.ts'
import type { Draining } from '../lib/draining.ts'
import type { Totals } from '../links/link.ts'
import type { Screen } from '../links/url-policy.ts'
import type { LinkWebhooks } from '../links/webhook.ts'
import { startBackground, type BackgroundTimes } from './background.ts'
import { createLinkWebhooks } from './changes.ts'
import { createCollectionWebhooks } from './collections.ts'
import { createGuardedRequest, type GuardedRequestDeps } from './guarded-request.ts'
import { webhookMetrics } from './metrics.ts'
import { createOwnNetworks } from './own-networks.ts'
import { createOutbox } from './outbox.ts'
import { createOutgoingMemory } from './outgoing-memory.ts'
import { createReceivers } from './receivers.ts'

/** Sends the events of links to their webhooks. */
export interface Webhooks extends LinkWebhooks {
  /** The webhooks of collections. */
  ofCollections: CollectionWebhooks
  metrics: Metric[]
  /** What its requests take of the memory, and give way of. */
  memoryShares: readonly MemoryShare[]
  /** Has what is sent screened from now on: the lists are opened later, because they report to webhooks what they remove. */
  screenWith: (screen: Screen) => void
  close: () => Promise<void>
}

/** What webhooks need of the rest of the program. */
export interface WebhooksNeeds {
  store: { db: Database }
  now: () => number
  monotonic: () => number
  scans: {
    totals: (linkId: number) => Promise<Totals>
    latestTotals: (linkId: number) => Promise<Totals>
    onFold: (listener: (changed: number[] | undefined) => void) => void
  }
  draining: Draining
  log: Pick<FastifyBaseLogger, 'error'>
}

/** The settings of webhooks. */
interface WebhookConfig {
  webhooks: boolean
  baseUrl: string | undefined
  /** DNS servers to use instead of the system's. */
  dnsServers: string[] | undefined
}

/** What tests replace. */
export interface WebhookOverrides extends BackgroundTimes, Pick<GuardedRequestDeps, 'isAllowed' | 'timeoutMs' | 'ca'> {
  random?: () => number
}

export function openWebhooks(
  { webhooks: enabled, baseUrl, dnsServers: servers }: WebhookConfig,
  { store: { db }, now, monotonic, scans, draining, log }: WebhooksNeeds,
  overrides: WebhookOverrides = {},
): Webhooks {
  const { random = Math.random } = overrides
  const outbox = createOutbox()
  let latestScreen: Screen = () => undefined
  const screen: Screen = (url) => latestScreen(url)
  const screenWith = (next: Screen) => void (latestScreen = next)
  const shared = { db, now, random, enabled, screen }
  const ofLinks = createLinkWebhooks({ ...shared, outbox, totals: scans.latestTotals })
  const { totals, latestTotals } = scans
  const links = { ...ofLinks, ofCollections: createCollectionWebhooks({ ...shared, totals, latestTotals }) }
  const counts = { delivered: 0, failed: 0, givenUp: 0 }
  const metrics = webhookMetrics(counts, outbox)
  if (!enabled) return { ...links, metrics, memoryShares: [], screenWith, async close() {} }

  const query = createRunQueries(servers)
  const addressesOf = (host: string) =>
    query(async (queries) => (await queries.addressesOf(host)).map(({ address }) => address))
  const host = baseUrl === undefined ? undefined : new URL(baseUrl).hostname.replace(/^\[|\]$/g, '')
  // Tests send to this machine.
  const ownNetworks = overrides.isAllowed ? undefined : createOwnNetworks({ host, addressesOf, monotonic })
  const receivers = createReceivers(now)
  const memory = createOutgoingMemory()
  const request = createGuardedRequest({ addressesOf, ownNetworks, receivers, memory, ...overrides })
  const onError = (err: unknown) => log.error({ err }, 'webhooks could not be processed')
  const sending = { request, receivers, screen, outbox, counts }
  const background = startBackground(
    { db, now, monotonic, random, totals, ...sending },
    createBackgroundTasks(monotonic, onError),
    overrides,
  )
  scans.onFold(background.onFold)
  draining.onBegin(background.stop)
  return { ...links, metrics, memoryShares: [memory.share], screenWith, close: background.close }
}
