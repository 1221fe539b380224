import type { Metric } from '../http/metric.ts'
import type { FoldLoop } from './fold-loop.ts'
import type { Journal } from './journal.ts'

/** @param folds its `lost` counts the scans that folds have lost to damage, ever */
export function scanMetrics(
  { status, backlog }: Journal,
  { count, failing, lost }: FoldLoop & { lost: () => number },
  subscribers: () => number,
): Metric[] {
  return [
    {
      name: 'quirl_journal_backlog_bytes',
      help: 'Journalled scans that are not folded yet',
      type: 'gauge',
      read: backlog,
    },
    {
      name: 'quirl_scans_recorded_total',
      help: 'Visits recorded before their response',
      type: 'counter',
      read: () => status().recorded,
    },
    {
      name: 'quirl_scans_lost_total',
      help: 'Visits answered unrecorded, and recorded scans that were damaged before they were folded',
      type: 'counter',
      read: () => status().lost + lost(),
    },
    { name: 'quirl_scans_folded_total', help: 'Scans moved into the statistics', type: 'counter', read: count },
    {
      name: 'quirl_fold_failing',
      help: '1 while recorded scans cannot be moved into the statistics',
      type: 'gauge',
      read: () => (failing() ? 1 : 0),
    },
    { name: 'quirl_stream_listeners', help: 'Open streams of totals', type: 'gauge', read: subscribers },
  ]
}
