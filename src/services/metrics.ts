import { lastBackupAt } from '../backup/last-backup.ts'
import type { AnyMetric } from '../http/metric.ts'

/** What the metrics of the whole service need to know of it. */
export interface ServiceMetricsNeeds {
  version: string
  dataDir: string
  databaseUrl: string | undefined
  notReady: () => Promise<string | undefined>
}

/** @param parts of the program, of which some have metrics */
export function allMetrics(needs: ServiceMetricsNeeds, parts: Record<string, object | undefined>): AnyMetric[] {
  return [...serviceMetrics(needs), ...Object.values(parts).flatMap(metricsOf)]
}

function metricsOf(part: object & { metrics?: AnyMetric[] } = {}): AnyMetric[] {
  return part.metrics ?? []
}

/** Metrics that belong to no feature. */
function serviceMetrics({ version, dataDir, databaseUrl, notReady }: ServiceMetricsNeeds): AnyMetric[] {
  const isShared = databaseUrl !== undefined
  const store = isShared ? 'postgresql' : 'sqlite'
  const backup: AnyMetric = {
    name: 'quirl_backup_timestamp_seconds',
    help: 'When the last complete "quirl backup" began; 0 when none is known of',
    type: 'gauge',
    readSlowly: async () => (await lastBackupAt(dataDir)) / 1000,
  }
  return [
    {
      name: 'quirl_build_info',
      help: 'The version of quirl and of Node, and the store; always 1',
      type: 'gauge',
      samples: () => [{ labels: { version, node_version: process.versions.node, store }, value: 1 }],
    },
    {
      name: 'quirl_ready',
      help: '1 while /readyz answers 200',
      type: 'gauge',
      readSlowly: async () => Number((await notReady().catch((error: Error) => error.message)) === undefined),
    },
    // PostgreSQL's own programs back it up.
    ...(isShared ? [] : [backup]),
  ]
}
