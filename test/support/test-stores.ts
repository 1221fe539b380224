import { join } from 'node:path'
import type { OperatorOperations } from '../../src/operator/socket.ts'
import type { Services } from '../../src/services.ts'
import { startBalancer } from './balancer.ts'
import { endOfFile, temporaryFolder, undoLater, type Ending } from './cleanup.ts'
import { createDatabase } from './drivers.ts'
import { PATIENCE_MS } from './poll.ts'
import { urlOf } from './postgres.ts'
import { oneOf, randomFrom } from './random.ts'
import { startRedis, type RedisServer } from './redis.ts'
import type { TestServer } from './server.ts'

/** Starts one service with more settings; `outerPort` is the one that clients use. */
type StartNode = (env: Record<string, string>, outerPort?: () => number) => Promise<TestServer>

/** A service that starts again on the folder of another has its database. */
const databases = new Map<string, string>()
/** And the port of its balancer: clients know it from the URLs of their links. */
const ports = new Map<string, number>()

/** Which node gets which request; `BALANCER_SEED` sets it. */
const seed = Number(process.env['BALANCER_SEED'] ?? Date.now() % 2 ** 31)
const random = randomFrom(seed)
let isSeedPrinted = false

const fileEnd = endOfFile()
let redis: Promise<RedisServer> | undefined

/** Starts a server of another kind than SQLite, which a test uses in the same way. */
export async function startOn(
  kind: string,
  t: Ending,
  env: Record<string, string>,
  start: StartNode,
): Promise<TestServer> {
  // Before anything of the service, so that PostgreSQL ends after it.
  const url = databases.get(env['DATA_DIR'] ?? '') ?? urlOf(await createDatabase())
  const dataDir = env['DATA_DIR'] ?? temporaryFolder(t)
  databases.set(dataDir, url)
  const stored = { DATABASE_URL: url, DATA_DIR: dataDir }
  if (kind === 'postgres') return start(stored)
  if (kind !== 'two-nodes') throw new Error(`QUIRL_TEST_STORE is sqlite, postgres or two-nodes, not ${kind}`)
  // Without it, each node counts by itself. The keys of each database have a salt of their own.
  const isLimited = Object.keys(env).some((name) => name.startsWith('LIMIT_'))
  const shared = isLimited ? { REDIS_URL: (await (redis ??= startRedis(fileEnd))).url } : {}
  return startTwoAsOne(t, { ...stored, ...shared }, start)
}

/** Starts two nodes behind a balancer that sends each request to one of them at random. */
async function startTwoAsOne(
  t: Ending,
  env: Record<string, string> & { DATA_DIR: string },
  start: StartNode,
): Promise<TestServer> {
  const { DATA_DIR } = env
  let port = ports.get(DATA_DIR) ?? 0
  const [a, b] = [await start(env, () => port), await start({ ...env, DATA_DIR: join(DATA_DIR, 'second') }, () => port)]
  const nodes = [a, b]
  if (!isSeedPrinted) console.log(`BALANCER_SEED=${seed}`)
  isSeedPrinted = true
  const hearAll = createHearing(nodes)
  const choose = async (path: string) => {
    const node = oneOf(random, nodes)
    // What a node counts is seen on the others within 3 seconds: once it is folded.
    if (path.lastIndexOf('/') > 0) await Promise.all(nodes.map(({ services }) => services.scans.awaitFold()))
    await hearAll(node)
    return Number(new URL(node.url).port)
  }
  const balancer = new AsyncDisposableStack()
  port = await startBalancer({ after: (work) => balancer.defer(work) }, choose, port)
  ports.set(DATA_DIR, port)
  const stop = async () => {
    await balancer.disposeAsync()
    await Promise.all(nodes.map((node) => node.stop()))
  }
  undoLater(t, stop)
  const logged = () => nodes.flatMap((node) => node.logged)
  const together = {
    ...a,
    url: `http://127.0.0.1:${port}`,
    services: asOne(a.services, b.services),
    stop,
  }
  return Object.defineProperty(together, 'logged', { get: logged })
}

/**
 * Messages between nodes take milliseconds, and a test of one node does not wait for them. Before a node gets a request, it
 * therefore hears of everything that the others have published; test/nodes.test.ts proves that this is soon.
 */
function createHearing(nodes: TestServer[]): (node: TestServer) => Promise<void> {
  const waiting = new Map<string, { bus: TestServer['services']['bus']; resolve: () => void }>()
  let sent = 0
  for (const { services } of nodes) {
    services.bus.subscribe('deletions', (keys) => {
      for (const key of keys) waiting.get(key)?.resolve()
    })
    services.bus.onGap(() => {
      for (const [key, { bus }] of waiting) bus.publish('deletions', key)
    })
  }
  const hear = async ({ services: { bus } }: TestServer) => {
    const key = `none ${++sent}`
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    waiting.set(key, { bus, resolve })
    const timer = setTimeout(() => reject(new Error('a node does not hear of another')), PATIENCE_MS)
    bus.publish('deletions', key)
    await promise.finally(() => {
      clearTimeout(timer)
      waiting.delete(key)
    })
  }
  return async (node) => void (await Promise.all(nodes.filter((each) => each !== node).map(hear)))
}

/** The first node's services; what concerns the memory or the folder of a node is done by both. */
function asOne(a: Services, b: Services): Services {
  const nodes = [a, b]
  const all = async <T>(work: (node: Services) => Promise<T>) => Promise.all(nodes.map(work))
  // Each node has the lists of rules in its own folder.
  const lists: OperatorOperations[string] = async (input) =>
    (await all(async ({ abuse }) => abuse.operations['lists']?.(input)))[0]
  return {
    ...a,
    scans: {
      ...a.scans,
      fold: async () => (await all(({ scans }) => scans.fold())).every(Boolean),
      awaitFold: async () => (await all(({ scans }) => scans.awaitFold())).every(Boolean),
    },
    visits: { ...a.visits, invalidate: (...codes) => nodes.forEach(({ visits }) => visits.invalidate(...codes)) },
    abuse: { ...a.abuse, operations: { ...a.abuse.operations, lists } },
    drain: async (withinMs) => void (await all((node) => node.drain(withinMs))),
  }
}
