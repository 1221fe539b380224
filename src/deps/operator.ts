import type { Config } from '../config/config.ts'
import type { Deps, Environment } from '../deps.ts'
import { domainOperations } from '../domains/operator.ts'
import { openAdminSocket, type AdminOperations } from '../admin/socket.ts'
import type { Closing } from '../lib/closing.ts'
import { certificateOperations } from '../tls/operator.ts'

/** Lets operators ask for what `quirl <command>` offers: one entry for each operation. */
export async function withOperator(
  deps: Deps,
  { dataDir }: Config,
  log: Environment['log'],
  closing: Closing,
): Promise<Deps> {
  const operations: AdminOperations = {
    status: async () => ({ version: deps.version, not_ready: (await deps.notReady()) ?? null }),
    fold: async () => ({ folded: await deps.recorder.fold() }),
    ...deps.abuse.operations,
    ...deps.geo.operations,
    ...domainOperations(deps.domains),
    ...certificateOperations(deps.tls?.certificates),
  }
  const onFault = (error: unknown, operation: string) => log.error({ err: error, operation }, 'a command failed')
  const socket = await openAdminSocket(dataDir, operations, onFault).catch((error: unknown) => {
    log.warn({ err: error }, 'administrative commands cannot reach this service: DATA_DIR takes no Unix socket')
  })
  if (socket !== undefined) closing.add('the socket for commands', socket.close)
  return deps
}
