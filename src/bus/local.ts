import type { Bus } from './bus.ts'

/** The bus of a process that is alone on its store. */
export function createLocalBus(): Bus {
  return {
    lifeMs: Number.POSITIVE_INFINITY,
    publish() {},
    subscribe() {},
    onGap() {},
    metrics: [],
    close: async () => {},
  }
}
