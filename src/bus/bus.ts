import type { Metric } from '../http/metric.ts'

/** What changes are about. The keys of its messages are codes, names of hosts, or IDs of links; rules have one key for all. */
export type Topic = 'links' | 'deletions' | 'scans' | 'rules' | 'domains' | 'certificates'

/**
 * Notifies the other processes on the store of changes. A message may be lost: whoever caches what it has read drops that
 * after `lifeMs`, and after a gap.
 */
export interface Bus {
  /** How long what was read may be used without asking the store again: for ever, where no other process changes it. */
  lifeMs: number
  /** Notifies every other process soon; returns at once. To be called once the change is committed. */
  publish: (topic: Topic, key: string) => void
  /** Calls back with what other processes have published. */
  subscribe: (topic: Topic, handler: (keys: string[]) => void) => void
  /** Calls back when messages may have been lost. */
  onGap: (handler: () => void) => void
  metrics: Metric[]
  close: () => Promise<void>
}
