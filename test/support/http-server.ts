import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { undoLater, type Ending } from './cleanup.ts'
import type { IncomingMessage } from 'node:http'
import type { ConnectionNeeds } from '../../src/http/server.ts'
import { asHolder, type Holder } from '../../src/lib/holder.ts'

/** Starts a server on a free port of an address of loopback, or of all (`0.0.0.0`), and stops it when the test ends. */
export async function listen(t: Ending, server: Server, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host)
  undoLater(t, async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  })
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Who a request counts for without a proxy. */
export const holderOf = ({ socket }: IncomingMessage): Holder => asHolder(socket.remoteAddress ?? '')

/** What connections need that no other part of the program serves. */
export const connectionNeeds: ConnectionNeeds = {
  nextRequestId: () => 'id',
  holderOf,
  isProxied: () => false,
  onBodyTimeout() {},
}
