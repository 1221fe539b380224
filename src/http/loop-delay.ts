import { createHistogram } from './histogram.ts'
import type { AnyMetric } from './metric.ts'

/**
 * How often the delay is measured. Each time wakes an idle process, which takes longer than the measurement: at 200 ms,
 * 0.1 % of a core. A blocked loop is noticed however rarely it is looked at.
 */
const INTERVAL_MS = 200

/** Measures how late timers of the event loop are. */
export interface LoopDelay {
  metric: AnyMetric
  stop: () => void
}

/**
 * A distribution that only grows, so that any number of programs can read it and compute the quantiles of their own
 * windows; the quantiles of `monitorEventLoopDelay` hold since a reset, and it wakes the process more often.
 */
export function measureLoopDelay(): LoopDelay {
  const delays = createHistogram()
  let due = performance.now() + INTERVAL_MS
  const timer = setInterval(() => {
    const now = performance.now()
    delays.observe(Math.max(0, now - due))
    due = now + INTERVAL_MS
  }, INTERVAL_MS).unref()
  return {
    metric: {
      name: 'nodejs_eventloop_delay_seconds',
      help: 'How late timers of the main thread are',
      type: 'histogram',
      histograms: () => [{ labels: {}, value: delays.read() }],
    },
    stop: () => clearInterval(timer),
  }
}
