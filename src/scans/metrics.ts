import type { Metric } from '../http/metric.ts'
import type { Background } from './background.ts'
import type { Journal } from './journal/journal.ts'

export function scanMetrics(
  journal: Journal,
  folds: Background,
  subscribers: () => number,
  queued: () => number,
): Metric[] {
  return [
    ...recordingMetrics(journal, folds),
    ...foldMetrics(folds),
    {
      name: 'quirl_statistics_queued',
      help: 'Reads of statistics and exports that wait for the thread of the warehouse',
      type: 'gauge',
      read: queued,
    },
    { name: 'quirl_stream_listeners', help: 'Open streams of totals', type: 'gauge', read: subscribers },
  ]
}

/** @param background its `lost` counts the scans that folds have lost to damage, ever */
function recordingMetrics(
  { status, backlog }: Journal,
  { lost, pruned }: Pick<Background, 'lost' | 'pruned'>,
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
    {
      name: 'quirl_scans_pruned_total',
      help: 'Raw scans that were removed because they were older than SCAN_RETENTION; of large months of PostgreSQL about so many',
      type: 'counter',
      read: pruned,
    },
  ]
}

function foldMetrics({ count, onlyCounted, failing, foldedUntil }: Background): Metric[] {
  return [
    { name: 'quirl_scans_folded_total', help: 'Scans moved into the statistics', type: 'counter', read: count },
    {
      name: 'quirl_scans_only_counted_total',
      help: 'Those of them that are not stored one by one: above LIMIT_RAW_SCANS, or while the disk is nearly full',
      type: 'counter',
      read: onlyCounted,
    },
    {
      name: 'quirl_fold_failing',
      help: '1 while recorded scans cannot be moved into the statistics',
      type: 'gauge',
      read: () => (failing() ? 1 : 0),
    },
    {
      name: 'quirl_folded_until_timestamp_seconds',
      help: 'Everything that was recorded until then is in the statistics; 0 before the first fold',
      type: 'gauge',
      read: () => foldedUntil() / 1000,
    },
  ]
}
