import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { Problem } from '../../http/problem.ts'
import { createQueue, type Queue, type QueuedJob } from './queue.ts'

const opened: Queue<string, string>[] = []
function open(length: number, perClient = 1): Queue<string, string> {
  const queue = createQueue<string, string>({ length, timeout: 600_000, perClient })
  opened.push(queue)
  return queue
}
const any = () => true

/** Queues jobs, and ignores their results. */
function wait(queue: Queue<string, string>, client: string | undefined, ...jobs: string[]): Promise<string>[] {
  return jobs.map((job) => {
    const outcome = queue.add(job, { client })
    outcome.catch(() => undefined)
    return outcome
  })
}

/** Takes all jobs, one at a time. */
function order(queue: Queue<string, string>): string[] {
  const jobs: string[] = []
  for (let work = queue.take(any); work !== undefined; work = queue.take(any)) {
    jobs.push(work.job)
    work.done()
    work.resolve('')
  }
  return jobs
}

describe('the queue of images', () => {
  // The timers of waiting jobs would keep the process alive.
  afterEach(() => {
    for (const queue of opened.splice(0)) queue.clear(new Problem('unavailable', 'the test is over'))
  })

  test('serves clients round-robin, and each of them in order', () => {
    const queue = open(16)
    wait(queue, 'a', 'a1', 'a2', 'a3', 'a4')
    wait(queue, 'b', 'b1', 'b2')
    wait(queue, 'c', 'c1')
    assert.deepEqual(order(queue), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
  })

  test('serves a new client after one job of each that waits', () => {
    const queue = open(16)
    wait(queue, 'a', 'a1', 'a2', 'a3')
    const first = queue.take(any)
    wait(queue, 'b', 'b1')
    first?.done()
    assert.deepEqual(order(queue), ['a2', 'b1', 'a3'])
  })

  test('limits the jobs of one client in progress, and serves others meanwhile', () => {
    const queue = open(16, 2)
    wait(queue, 'a', 'a1', 'a2', 'a3')
    wait(queue, 'b', 'b1')
    const begun: QueuedJob<string, string>[] = []
    for (let work = queue.take(any); work !== undefined; work = queue.take(any)) begun.push(work)
    assert.deepEqual(
      begun.map(({ job }) => job),
      ['a1', 'b1', 'a2'],
    )
    begun[1]?.done()
    assert.equal(queue.take(any), undefined)
    begun[0]?.done()
    assert.equal(queue.take(any)?.job, 'a3')
  })

  test('skips jobs that may not start now, also of other clients', () => {
    const queue = open(16)
    wait(queue, 'a', 'a large', 'a1')
    wait(queue, 'b', 'b large')
    assert.equal(queue.take((job) => !job.endsWith('large'))?.job, 'a1')
    assert.equal(
      queue.take((job) => !job.endsWith('large')),
      undefined,
    )
  })

  test('accepts half of its length from one client, all of it from several, and no more', async () => {
    const queue = open(4)
    wait(queue, 'a', 'a1', 'a2')
    await assert.rejects(queue.add('a3', { client: 'a' }), isBusy)
    wait(queue, 'b', 'b1', 'b2')
    await assert.rejects(queue.add('c1', { client: 'c' }), isBusy)
    assert.deepEqual(order(queue), ['a1', 'b1', 'a2', 'b2'])
    wait(queue, 'a', 'a3')
    assert.deepEqual(order(queue), ['a3'])
  })

  test('accepts one job even if its length is one', () => {
    const queue = open(1)
    wait(queue, 'a', 'a1')
    assert.deepEqual(order(queue), ['a1'])
  })

  test('does not limit the program itself per client', async () => {
    const queue = open(3)
    wait(queue, undefined, '1', '2', '3')
    await assert.rejects(queue.add('4'), isBusy)
    const [one, two] = [queue.take(any), queue.take(any)]
    assert.deepEqual([one?.job, two?.job], ['1', '2'])
  })

  test('drops the job of a client that disconnects', async () => {
    const queue = open(2)
    const abort = new AbortController()
    const outcome = queue.add('a1', { client: 'a', signal: abort.signal })
    abort.abort()
    await assert.rejects(outcome, /disconnected/)
    wait(queue, 'a', 'a2')
    assert.deepEqual(order(queue), ['a2'])
  })

  test('rejects all waiting jobs when it is cleared', async () => {
    const queue = open(8)
    const outcomes = [...wait(queue, 'a', 'a1', 'a2'), ...wait(queue, 'b', 'b1')]
    queue.clear(new Problem('unavailable', 'over'))
    for (const outcome of outcomes) await assert.rejects(outcome, /over/)
    assert.equal(queue.take(any), undefined)
  })
})

function isBusy(error: unknown): boolean {
  return error instanceof Problem && error.status === 503 && error.headers['retry-after'] === '5'
}
