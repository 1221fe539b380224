import type { Metric } from '../http/metric.ts'
import type { Outbox } from './outbox.ts'

/** Counts of attempts since the start, and of webhooks that were given up. */
export interface DeliveryCounts {
  delivered: number
  failed: number
  givenUp: number
}

export function webhookMetrics(counts: DeliveryCounts, outbox: Outbox): Metric[] {
  return [
    {
      name: 'quirl_webhook_deliveries_total',
      help: 'Events that were delivered to webhooks',
      type: 'counter',
      read: () => counts.delivered,
    },
    {
      name: 'quirl_webhook_failures_total',
      help: 'Attempts to deliver an event to a webhook that failed',
      type: 'counter',
      read: () => counts.failed,
    },
    {
      name: 'quirl_webhook_outbox_events',
      help: 'Events that wait for their delivery to webhooks',
      type: 'gauge',
      read: outbox.rows,
    },
    {
      name: 'quirl_webhook_events_dropped_total',
      help: 'Events for webhooks that were dropped because too many waited',
      type: 'counter',
      read: outbox.dropped,
    },
    {
      name: 'quirl_webhooks_given_up',
      help: 'Webhooks to which nothing is sent because they failed for too long',
      type: 'gauge',
      read: () => counts.givenUp,
    },
  ]
}
