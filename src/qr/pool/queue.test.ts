import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { Problem } from '../../http/problem.ts'
import { createQueue, type Queue, type Waiting } from './queue.ts'

const opened: Queue<string, string>[] = []
function open(length: number, atOnce = 1): Queue<string, string> {
  const queue = createQueue<string, string>({ length, patience: 600_000, atOnce })
  opened.push(queue)
  return queue
}
const any = () => true

/** Has work wait whose outcome a test does not look at, until it is taken out. */
function wait(queue: Queue<string, string>, client: string | undefined, ...jobs: string[]): Promise<string>[] {
  return jobs.map((job) => {
    const outcome = queue.add(job, { client })
    outcome.catch(() => undefined)
    return outcome
  })
}

/** Does all that waits, one job at a time. */
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
  // What still waits would keep the process.
  afterEach(() => {
    for (const queue of opened.splice(0)) queue.clear(new Problem('unavailable', 'the test is over'))
  })

  test('lets clients take turns, and each of them in its own order', () => {
    const queue = open(16)
    wait(queue, 'a', 'a1', 'a2', 'a3', 'a4')
    wait(queue, 'b', 'b1', 'b2')
    wait(queue, 'c', 'c1')
    assert.deepEqual(order(queue), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
  })

  test('serves who comes later after one job of each who waits', () => {
    const queue = open(16)
    wait(queue, 'a', 'a1', 'a2', 'a3')
    const first = queue.take(any)
    wait(queue, 'b', 'b1')
    first?.done()
    assert.deepEqual(order(queue), ['a2', 'b1', 'a3'])
  })

  test('begins no more of one client at once than it is told to, and others meanwhile', () => {
    const queue = open(16, 2)
    wait(queue, 'a', 'a1', 'a2', 'a3')
    wait(queue, 'b', 'b1')
    const begun: Waiting<string, string>[] = []
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

  test('passes over what is not possible now, also of another client', () => {
    const queue = open(16)
    wait(queue, 'a', 'a large', 'a1')
    wait(queue, 'b', 'b large')
    assert.equal(queue.take((job) => !job.endsWith('large'))?.job, 'a1')
    assert.equal(
      queue.take((job) => !job.endsWith('large')),
      undefined,
    )
  })

  test('has half of its places for one client, all of them for several, and none for more', async () => {
    const queue = open(4)
    wait(queue, 'a', 'a1', 'a2')
    await assert.rejects(queue.add('a3', { client: 'a' }), isBusy)
    wait(queue, 'b', 'b1', 'b2')
    await assert.rejects(queue.add('c1', { client: 'c' }), isBusy)
    assert.deepEqual(order(queue), ['a1', 'b1', 'a2', 'b2'])
    wait(queue, 'a', 'a3')
    assert.deepEqual(order(queue), ['a3'])
  })

  test('has a place for everyone, also where it has only one', () => {
    const queue = open(1)
    wait(queue, 'a', 'a1')
    assert.deepEqual(order(queue), ['a1'])
  })

  test('counts what the program itself asks for as no client', async () => {
    const queue = open(3)
    wait(queue, undefined, '1', '2', '3')
    await assert.rejects(queue.add('4'), isBusy)
    const [one, two] = [queue.take(any), queue.take(any)]
    assert.deepEqual([one?.job, two?.job], ['1', '2'])
  })

  test('frees the place of who has gone', async () => {
    const queue = open(2)
    const gone = new AbortController()
    const outcome = queue.add('a1', { client: 'a', gone: gone.signal })
    gone.abort()
    await assert.rejects(outcome, /nobody waits/)
    wait(queue, 'a', 'a2')
    assert.deepEqual(order(queue), ['a2'])
  })

  test('refuses all that waits when it is cleared', async () => {
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
