// Preloaded into a server: on SIGUSR2 it writes its measurements since the last signal as a line of JSON, and resets them. It
// measures the CPU time of the thread, not elapsed time: on a busy machine the kernel may suspend any loop for longer than
// the bound.
import { appendFileSync } from 'node:fs'
import { createHistogram } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

/** How long callbacks blocked the event loop, in milliseconds. */
export interface Holds {
  /** The 99.9th percentile of its iterations. */
  most: number
  longest: number
  /** The duration of a fixed amount of work, to measure the speed of the machine. */
  calibrated: number
}

/** JSON to parse: about 10 ms on the author's machine, independent of how warm the process is. */
const fixed = JSON.stringify(
  Array.from({ length: 40_000 }, (_, at) => ({ label: `button ${at}`, url: `https://example.com/${at}` })),
)

/** The number of repetitions: systems count a thread's time in steps of some milliseconds. */
const TIMES = 5
/** How long a calibration stays valid. */
const CALIBRATED_MS = 1000

const file = process.env['HOLD_FILE']
if (isMainThread && file !== undefined) {
  /** The CPU time of this thread, in microseconds. */
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
    // The next measurement must not include the garbage of this one.
    collectGarbage()
    appendFileSync(file, `${JSON.stringify({ most, longest, calibrated: unit })}\n`)
    before = ran()
    holds.reset()
  })
}
