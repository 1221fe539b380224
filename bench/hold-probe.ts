// Loaded into a server before its own code: on SIGUSR2 it writes for how long the event loop was held since it was last
// asked, as a line of JSON, and starts anew. It counts the time that the thread ran, not the time that passed: on a busy
// machine the kernel holds any loop for longer than that. Linux only.
import { appendFileSync, openSync, readSync } from 'node:fs'
import { createHistogram } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

const file = process.env['HOLD_FILE']
if (isMainThread && file !== undefined) {
  const statistics = openSync('/proc/thread-self/schedstat', 'r')
  const line = Buffer.alloc(64)
  // Nanoseconds that this thread has run, before the first space.
  const ran = () => Number.parseInt(line.toString('latin1', 0, readSync(statistics, line, 0, 64, 0)), 10)
  const holds = createHistogram()
  let before = ran()
  setInterval(() => {
    const now = ran()
    holds.record(Math.max(1, now - before))
    before = now
  }, 1).unref()
  process.on('SIGUSR2', () => {
    const milliseconds = [holds.percentile(99.9), holds.max].map((nanoseconds) => nanoseconds / 1e6)
    appendFileSync(file, `${JSON.stringify(milliseconds)}\n`)
    holds.reset()
  })
}
