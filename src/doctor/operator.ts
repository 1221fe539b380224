import type { OperatorOperations } from '../operator/socket.ts'
import type { Config } from '../config/config.ts'
import type { ClientAddress } from '../http/client-address.ts'
import type { AnyMetric } from '../http/metric.ts'
import { openFilesLimit } from '../http/open-files.ts'
import type { Origin } from '../http/origin.ts'
import { processMetrics } from '../http/process-metrics.ts'
import { readMetrics } from '../http/read-metrics.ts'
import { memoryLimit } from '../lib/memory-limit.ts'
import type { ServerAnswers, Servers } from './servers.ts'
import { checkedSettings, type CheckedSettings } from './settings.ts'

/** What only the running service knows; the result of `doctor`. */
export interface ServiceState {
  settings: CheckedSettings
  /** Why it is not ready, or null. */
  notReady: string | null
  /** The digest of its store's id, by which `/healthz` answers. */
  instance: string
  /** The first host of no address of this machine under which a client has come while `BASE_URL` was unset. */
  foreignHost: string | null
  /** The user that runs it; null where users have no number. */
  uid: number | null
  node: string
  /** The metrics of one number each, by name. */
  metrics: Record<string, number>
  files: { open: number | null; limit: number | null }
  memory: { used: number; limit: number | null }
  /** What the servers that several nodes share have answered. */
  servers: ServerAnswers
}

/** The result of `proxies`. */
export type ProxiesResult = ReturnType<ClientAddress['forwarding']>

/** What the operations need of the rest of the program. */
export interface DoctorNeeds {
  config: Config
  notReady: () => Promise<string | undefined>
  instance: string
  metrics: AnyMetric[]
  client: ClientAddress
  origin: Pick<Origin, 'foreignHost'>
  askServers: Servers['ask']
}

/** The operations of `quirl doctor`. */
export function doctorOperations({
  config,
  notReady,
  instance,
  metrics,
  client,
  origin,
  askServers,
}: DoctorNeeds): OperatorOperations {
  return {
    async doctor(): Promise<ServiceState> {
      const [reason, numbers, servers] = await Promise.all([
        notReady().catch((error: Error) => error.message),
        readNumbers([...processMetrics, ...metrics]),
        askServers(config),
      ])
      return {
        settings: checkedSettings(config),
        notReady: reason ?? null,
        instance,
        foreignHost: origin.foreignHost(),
        uid: process.getuid?.() ?? null,
        node: process.versions.node,
        metrics: numbers,
        files: { open: numbers['process_open_fds'] ?? null, limit: finite(openFilesLimit()) },
        memory: { used: process.memoryUsage.rss(), limit: memoryLimit() },
        servers,
      }
    },
    proxies: async (): Promise<ProxiesResult> => client.forwarding(),
  }
}

async function readNumbers(metrics: AnyMetric[]): Promise<Record<string, number>> {
  const { read } = await readMetrics(metrics.filter((metric) => 'read' in metric || 'readSlowly' in metric))
  return Object.fromEntries(read.flatMap(({ metric, lines }) => lines.map(({ value }) => [metric.name, value])))
}

function finite(limit: number): number | null {
  return Number.isFinite(limit) ? limit : null
}
