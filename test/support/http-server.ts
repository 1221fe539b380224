import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { undoLater, type Ending } from './cleanup.ts'

/** Starts a server on a free port of loopback, and stops it when the test ends. */
export async function listen(t: Ending, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  undoLater(t, async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  })
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
