// Loaded into a server before its own code: on SIGUSR2 it writes what has been seen since the last time, as a line of JSON,
// and starts anew. It counts the time that the thread ran, not the time that passed: on a busy machine the kernel holds any
// loop for longer than that.
import { appendFileSync } from 'node:fs'
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

/** To be parsed: about 10 ms of work on the machine that this was written on, and the same however warm the process is. */
const fixed = JSON.stringify(
  Array.from({ length: 40_000 }, (_, at) => ({ label: `button ${at}`, url: `https://example.com/${at}` })),
)

/** How often it is done to be measured: systems count a thread's time in steps of some milliseconds. */
const TIMES = 5
/** So long a measure of the machine holds. */
const CALIBRATED_MS = 1000

const file = process.env['HOLD_FILE']
if (isMainThread && file !== undefined) {
  /** Microseconds that this thread has run. */
  const ran = () => {
    const { user, system } = process.threadCpuUsage()
    return user + system
  }
  const holds = createHistogram()
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  let before = ran()
  setInterval(() => {
    const now = ran()
    holds.record(Math.max(1, now - before))
    before = now
  }, 1).unref()
  let calibrated = 0
  let calibratedAt = -Infinity
  const calibrate = () => {
    if (performance.now() - calibratedAt < CALIBRATED_MS) return calibrated
    const start = ran()
    for (let time = 0; time < TIMES; time++) JSON.parse(fixed)
    calibratedAt = performance.now()
    return (calibrated = (ran() - start) / TIMES)
  }
  process.on('SIGUSR2', () => {
    holds.record(Math.max(1, ran() - before))
    const microseconds = [holds.percentile(99.9), holds.max, calibrate()]
    const [most, longest, unit] = microseconds.map((each) => each / 1000)
    // What one request leaves behind is not to be counted as the next one's.
    collectGarbage()
    appendFileSync(file, `${JSON.stringify({ most, longest, calibrated: unit })}\n`)
    before = ran()
    holds.reset()
  })
}
