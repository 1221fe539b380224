import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createOwner } from './owner.ts'
import { compareStored, type Allowed } from './owners.ts'
import { poll } from './poll.ts'
import { exitOf, start, type Service } from './program.ts'
import type { Random } from './random.ts'

/** Flags that disable the program's quotas. */
export const UNLIMITED = ['links', 'changes', 'bulk', 'aliases', 'failures', 'misses'].map(
  (name) => `--limit-${name}=0`,
)

const OWNERS = 6
/** The pause between requests of an owner, which leaves the CPU to other tests. */
const PACE_MS = 20

/** Stops the service once it has folded all recorded scans and purged those of deleted links. */
export async function stopWhenFolded(service: Service): Promise<void> {
  const metrics = async () => (await fetch(`${service.url}/metrics`)).text()
  await poll(async () => /^quirl_journal_backlog_bytes 0$/m.test(await metrics()))
  service.process.kill('SIGTERM')
  assert.deepEqual(await exitOf(service), { code: 0, signal: null })
}

/** A program under the load of several owners, while the test disturbs it. */
export interface Workload {
  service: Service
  /** Waits until the program has responded with each of these statuses since the call. */
  answers: (...statuses: number[]) => Promise<void>
  /** Visits links, so that the service has them in its cache. */
  visitOften: () => Promise<void>
  metric: (name: string) => Promise<number>
  /** The detail of `/readyz`, or undefined when the service is ready. */
  notReady: () => Promise<string | undefined>
  /** Stops the owners, then the program, and compares its data with its responses. */
  end: (allowed?: Omit<Allowed, 'lost'>) => Promise<void>
}

export async function startWorkload(
  t: TestContext,
  random: Random,
  dataDir: string,
  env: Record<string, string> = {},
  flags: string[] = [],
): Promise<Workload> {
  const service = await start(t, dataDir, [...UNLIMITED, ...flags], { env })
  const owners = Array.from({ length: OWNERS }, (_, at) => createOwner(`o${at}`, random))
  let isOver = false
  let failed: unknown
  const working = Promise.all(owners.map((owner) => owner.work(service.url, () => isOver, PACE_MS)))
  working.catch((error: unknown) => (failed = error))
  const metric = async (name: string) => {
    const text = await (await fetch(`${service.url}/metrics`)).text()
    return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1])
  }
  const isAnswered = (status: number) => {
    if (failed !== undefined) throw failed
    return owners.some(({ statuses }) => statuses.has(status))
  }
  return {
    service,
    async answers(...statuses) {
      for (const owner of owners) owner.statuses.clear()
      await poll(
        () => statuses.every(isAnswered),
        () =>
          `answers ${statuses.join(' ')}: ${JSON.stringify(owners.map((owner) => [...owner.statuses]))} ${service.output().slice(-500)}`,
      )
    },
    async visitOften() {
      await Promise.all(owners.map((owner) => owner.visitOften(service.url)))
    },
    metric,
    async notReady() {
      const response = await fetch(`${service.url}/readyz`)
      const { detail = '' } = (await response.json()) as { detail?: string }
      assert.ok([200, 503].includes(response.status), detail)
      // What is said of a service that is ready is no fault.
      return response.status === 200 ? undefined : detail
    },
    async end(allowed) {
      isOver = true
      await working
      await Promise.all(owners.map((owner) => owner.repeat(service.url)))
      let backlog: number | undefined
      await poll(
        async () => (backlog = await metric('quirl_journal_backlog_bytes')) === 0,
        () =>
          `${backlog} bytes wait in ${readdirSync(join(dataDir, 'journal')).join()}: ${service.output().slice(-3000)}`,
      )
      const lost = await metric('quirl_scans_lost_total')
      service.process.kill('SIGTERM')
      assert.deepEqual(await exitOf(service), { code: 0, signal: null })
      compareStored(dataDir, owners, { lost, ...allowed })
    },
  }
}
