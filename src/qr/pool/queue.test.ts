import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { Problem } from '../../http/problem.ts'
import { asHolder } from '../../lib/holder.ts'
import { createQueue, type Queue, type QueuedJob, type QueueOptions } from './queue.ts'

const opened: Queue<string, string>[] = []
/** A queue that is bounded by the number of jobs alone, unless `options` say more. */
function open(length: number, perNetwork = 1, options: Partial<QueueOptions<string>> = {}): Queue<string, string> {
  const unbounded = { timeout: 600_000, maxWait: 600_000, threads: 1, costOf: () => 0, monotonic: () => 0 }
  const queue = createQueue<string, string>({ length, perNetwork, ...unbounded, ...options })
  opened.push(queue)
  return queue
}

/** Queues jobs, and ignores their results. */
function wait(queue: Queue<string, string>, client: string | undefined, ...jobs: string[]): Promise<string>[] {
  return jobs.map((job) => {
    const outcome = queue.add(job, client === undefined ? {} : { holder: asHolder(client) })
    outcome.catch(() => undefined)
    return outcome
  })
}

/** Takes all jobs, one at a time. */
function order(queue: Queue<string, string>): string[] {
  const jobs: string[] = []
  for (let work = queue.take(); work !== undefined; work = queue.take()) {
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

  test('takes no job of a client that has disconnected before: its further jobs are not drawn for nobody', async () => {
    const queue = open(16)
    const job = queue.add('a1', { holder: asHolder('a'), signal: AbortSignal.abort() })
    assert.equal(queue.length(), 0)
    await assert.rejects(job, { code: 'unavailable', message: 'the client has disconnected' })
  })

  test('a job that is given up for a problem is refused with it, before it waits and while it does', async () => {
    const queue = open(16)
    const problem = new Problem('unavailable', 'too many sheets wait')
    await assert.rejects(queue.add('a1', { holder: asHolder('a'), signal: AbortSignal.abort(problem) }), problem)
    const givenUp = new AbortController()
    const job = queue.add('a2', { holder: asHolder('a'), signal: givenUp.signal })
    givenUp.abort(problem)
    await assert.rejects(job, problem)
  })

  test('serves a new client after one job of each that waits', () => {
    const queue = open(16)
    wait(queue, 'a', 'a1', 'a2', 'a3')
    const first = queue.take()
    wait(queue, 'b', 'b1')
    first?.done()
    assert.deepEqual(order(queue), ['a2', 'b1', 'a3'])
  })

  test('limits the jobs of one client in progress, and serves others meanwhile', () => {
    const queue = open(16, 2)
    wait(queue, 'a', 'a1', 'a2', 'a3')
    wait(queue, 'b', 'b1')
    const begun: QueuedJob<string, string>[] = []
    for (let work = queue.take(); work !== undefined; work = queue.take()) begun.push(work)
    assert.deepEqual(
      begun.map(({ job }) => job),
      ['a1', 'b1', 'a2'],
    )
    begun[1]?.done()
    assert.equal(queue.take(), undefined)
    begun[0]?.done()
    assert.equal(queue.take()?.job, 'a3')
  })

  test('accepts all of its length from one client, whose latest job gives way to another one', async () => {
    const queue = open(4, 1, { costOf: () => 1 })
    const own = wait(queue, 'a', 'a1', 'a2', 'a3', 'a4')
    await assert.rejects(queue.add('a5', { holder: asHolder('a') }), isBusy)
    wait(queue, 'b', 'b1', 'b2')
    for (const at of [2, 3]) await assert.rejects(own[at] ?? Promise.resolve(), isBusy)
    await assert.rejects(queue.add('b3', { holder: asHolder('b') }), isBusy)
    assert.deepEqual(order(queue), ['a1', 'b1', 'a2', 'b2'])
    wait(queue, 'a', 'a6')
    assert.deepEqual(order(queue), ['a6'])
  })

  test('serves networks in turns and bounds the threads of each, however many addresses it has', () => {
    const queue = open(16, 1)
    for (const at of [1, 2, 3]) wait(queue, `10.0.0.${at}`, `attacker ${at}`)
    wait(queue, '10.0.1.1', 'honest')
    assert.deepEqual([queue.take()?.job, queue.take()?.job], ['attacker 1', 'honest'])
    assert.equal(queue.take(), undefined)
  })

  /** What two threads draw in a second each; `a 100` takes 100 ms. */
  const timed = { maxWait: 1000, threads: 2, costOf: (job: string) => Number(job.split(' ')[1]) }
  const many = (job: string, count: number) => Array.from({ length: count }, () => job)

  test('accepts hundreds of quick jobs of one client, and of slow ones what its threads draw in the bounded time', async () => {
    const queue = open(1000, 1, timed)
    wait(queue, 'a', ...many('a 3', 300))
    assert.equal(queue.length(), 300)
    wait(queue, 'b', ...many('b 300', 4))
    await assert.rejects(queue.add('b 1', { holder: asHolder('b') }), isBusyFor('2'))
    assert.equal(queue.length(), 304)
  })

  test('counts of other clients only what is drawn before the job of a client', async () => {
    const queue = open(1000, 1, timed)
    for (const client of ['a', 'b', 'c']) wait(queue, client, ...many(`${client} 300`, 2))
    // As long as a client has drawn as much as another, that one's further jobs do not delay it.
    wait(queue, 'd', 'd 600')
    await assert.rejects(queue.add('d 600', { holder: asHolder('d') }), isBusyFor('2'))
    wait(queue, 'e', 'e 10')
    assert.equal(queue.length(), 8)
  })

  test('forgets the time of jobs that have left', async () => {
    const queue = open(1000, 1, timed)
    const abort = new AbortController()
    const dropped = queue.add('a 1001', { holder: asHolder('a'), signal: abort.signal })
    await assert.rejects(queue.add('a 1', { holder: asHolder('a') }), isBusyFor('2'))
    abort.abort()
    await assert.rejects(dropped, /disconnected/)
    wait(queue, 'a', 'a 1001')
    assert.equal(queue.take()?.job, 'a 1001')
    wait(queue, 'a', 'a 1')
    assert.equal(queue.length(), 1)
  })

  test('serves a newcomer before networks whose jobs took long, although they wait for longer', () => {
    let now = 0
    const queue = open(16, 1, { monotonic: () => now })
    const draw = (ms: number) => {
      const work = queue.take()
      now += ms
      work?.done()
      return work?.job
    }
    for (const network of [1, 2, 3]) wait(queue, `10.0.${network}.1`, `costly ${network}`, `costly ${network} again`)
    assert.deepEqual([draw(5000), draw(5000), draw(5000)], ['costly 1', 'costly 2', 'costly 3'])
    for (const name of ['honest', 'honest again']) {
      wait(queue, '10.0.4.1', name)
      assert.equal(draw(100), name)
    }
    assert.equal(draw(5000), 'costly 1 again')
    now += 120_000
    wait(queue, '10.0.4.1', 'honest later')
    assert.deepEqual([draw(0), draw(0), draw(0)], ['costly 2 again', 'costly 3 again', 'honest later'])
  })

  /** A queue with jobs in progress that began one after the other, a second apart, each of a network of its own. */
  function inProgress(count: number, perNetwork = 1) {
    let now = 0
    const queue = open(16, perNetwork, { monotonic: () => now })
    const works = Array.from({ length: count }, (_, at) => {
      wait(queue, `10.0.${at}.1`, `job ${at}`)
      const work = queue.take()
      assert.ok(work)
      now += 1000
      return work
    })
    const outweighed = () => works.map((work) => work.isOutweighed())
    return { queue, works, outweighed, pass: (ms: number) => (now += ms) }
  }

  test('has the network with most of the threads give way, once a job of one with less waits that may have a thread', () => {
    const { queue, works, outweighed } = inProgress(2)
    assert.deepEqual(outweighed(), [false, false])
    wait(queue, '10.0.1.9', 'of a network that has its thread')
    assert.deepEqual(outweighed(), [false, false])
    wait(queue, '10.0.7.1', 'newcomer')
    assert.deepEqual(outweighed(), [true, false])
    works[0]?.done()
    assert.equal(works[1]?.isOutweighed(), true)
  })

  test('has no network give way to one that had as much', () => {
    const { queue, works, outweighed, pass } = inProgress(2)
    pass(3000)
    works[0]?.done()
    wait(queue, '10.0.0.1', 'again')
    // The first had five seconds, and the second has had four until now.
    assert.deepEqual(outweighed(), [false, false])
    pass(2000)
    assert.equal(works[1]?.isOutweighed(), true)
  })

  test('never has the program itself give way', () => {
    const queue = open(16)
    wait(queue, undefined, 'of the program')
    const work = queue.take()
    wait(queue, '10.0.0.1', 'other')
    assert.equal(work?.isOutweighed(), false)
  })

  test('serves a quick job before costly ones of networks that had nothing yet', () => {
    const queue = open(16, 1, { costOf: (job) => Number(job.split(' ')[1]) })
    for (const network of [1, 2, 3]) wait(queue, `10.0.${network}.1`, 'costly 900')
    wait(queue, '10.0.4.1', 'honest 100')
    assert.deepEqual(order(queue), ['honest 100', 'costly 900', 'costly 900', 'costly 900'])
  })

  test('tells a requester when its job waits, and not when it is refused', async () => {
    const queue = open(1)
    let queued = 0
    const onQueued = () => queued++
    queue.add('a1', { holder: asHolder('a'), onQueued }).catch(() => undefined)
    await assert.rejects(queue.add('a2', { holder: asHolder('a'), onQueued }), isBusy)
    assert.equal(queued, 1)
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
    const [one, two] = [queue.take(), queue.take()]
    assert.deepEqual([one?.job, two?.job], ['1', '2'])
  })

  test('drops the job of a client that disconnects', async () => {
    const queue = open(2)
    const abort = new AbortController()
    const outcome = queue.add('a1', { holder: asHolder('a'), signal: abort.signal })
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
    assert.equal(queue.take(), undefined)
  })
})

function isBusyFor(seconds: string): (error: unknown) => boolean {
  return (error) => isBusy(error) && (error as Problem).headers['retry-after'] === seconds
}

function isBusy(error: unknown): boolean {
  return error instanceof Problem && error.status === 503 && Number(error.headers['retry-after']) > 0
}
