// Loaded into a server before its own code: on SIGUSR2 it writes what has been seen since the last time, as a line of JSON,
// and starts anew. It counts the time that the thread ran, not the time that passed: on a busy machine the kernel holds any
// loop for longer than that. Linux only.
import { appendFileSync, openSync, readSync } from 'node:fs'
import { createHistogram } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

/** How long the event loop was held, in milliseconds. */
export interface Holds {
  /** 99.9 % of its turns took no longer. */
  most: number
  longest: number
  /** What a fixed amount of work takes here and now: a measure of the machine. */
  calibrated: number
}

/** Work of the kind that parsers do, about 10 ms of it on the machine that this was written on. */
function work(): number {
  let sum = 0
  for (let at = 0; at < 4_000_000; at++) sum = (sum * 31 + (at ^ (sum >> 3))) | 0
  return sum
}

const file = process.env['HOLD_FILE']
if (isMainThread && file !== undefined) {
  const statistics = openSync('/proc/thread-self/schedstat', 'r')
  const line = Buffer.alloc(64)
  // Nanoseconds that this thread has run, before the first space.
  const ran = () => Number.parseInt(line.toString('latin1', 0, readSync(statistics, line, 0, 64, 0)), 10)
  const holds = createHistogram()
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  let before = ran()
  setInterval(() => {
    const now = ran()
    holds.record(Math.max(1, now - before))
    before = now
  }, 1).unref()
  const took = (run: () => void) => {
    const start = ran()
    run()
    return ran() - start
  }
  process.on('SIGUSR2', () => {
    holds.record(Math.max(1, ran() - before))
    const nanoseconds = [holds.percentile(99.9), holds.max, Math.min(...[1, 2, 3].map(() => took(work)))]
    const [most, longest, calibrated] = nanoseconds.map((each) => each / 1e6)
    // What one request leaves behind is not to be counted as the next one's.
    collectGarbage()
    appendFileSync(file, `${JSON.stringify({ most, longest, calibrated })}\n`)
    before = ran()
    holds.reset()
  })
}
