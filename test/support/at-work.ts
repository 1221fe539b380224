import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { createOwner } from './owner.ts'
import { compareKept, type Allowed } from './owners.ts'
import { poll } from './poll.ts'
import { exitOf, start, type Service } from './program.ts'
import type { Random } from './random.ts'

/** Flags of a program that all owners may ask as much as they want. */
export const UNLIMITED = ['links', 'bulk', 'failures', 'misses'].map((name) => `--limit-${name}=0`)

const OWNERS = 6
/** What happens to the program is waited for; the processor is for other tests meanwhile. */
const PACE_MS = 20

/** Ends the service once all that it has recorded is in the statistics, and all that was deleted is gone from them. */
export async function stopSettled(service: Service): Promise<void> {
  const metrics = async () => (await fetch(`${service.url}/metrics`)).text()
  await poll(async () => /^quirl_journal_backlog_bytes 0$/m.test(await metrics()))
  service.process.kill('SIGTERM')
  assert.deepEqual(await exitOf(service), { code: 0, signal: null })
}

/** A program that works for owners, while things happen to it. */
export interface AtWork {
  service: Service
  /** Waits until each of these statuses was answered anew. */
  answers: (...statuses: number[]) => Promise<void>
  /** Has links visited that the service then has in memory. */
  visitOften: () => Promise<void>
  metric: (name: string) => Promise<number>
  /** What `/readyz` says, or undefined when all is well. */
  notReady: () => Promise<string | undefined>
  /** Ends the work, then the program, and compares what it has kept with what was answered. */
  end: (allowed?: Omit<Allowed, 'lost'>) => Promise<void>
}

export async function startWork(
  t: TestContext,
  random: Random,
  dataDir: string,
  env: Record<string, string> = {},
  flags: string[] = [],
): Promise<AtWork> {
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
      const { detail } = (await response.json()) as { detail?: string }
      assert.equal(response.status, detail === undefined ? 200 : 503, detail ?? '')
      return detail
    },
    async end(allowed) {
      isOver = true
      await working
      await Promise.all(owners.map((owner) => owner.repeat(service.url)))
      await poll(async () => (await metric('quirl_journal_backlog_bytes')) === 0)
      const lost = await metric('quirl_scans_lost_total')
      service.process.kill('SIGTERM')
      assert.deepEqual(await exitOf(service), { code: 0, signal: null })
      compareKept(dataDir, owners, { lost, ...allowed })
    },
  }
}
