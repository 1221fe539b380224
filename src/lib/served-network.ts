import { AsyncLocalStorage } from 'node:async_hooks'
import type { Holder } from './holder.ts'

/** The network of a client, with what it is allocated from. */
export type ServedNetwork = Pick<Holder, 'network' | 'allocation'>

const served = new AsyncLocalStorage<ServedNetwork>()

/** Runs work, and all that it causes, for a client of this network. */
export function serveNetwork<T>({ network, allocation }: ServedNetwork, work: () => T): T {
  // Without the client's address, which is kept no longer than the request lasts.
  return served.run({ network, allocation }, work)
}

/** The network of the client whom the present work is for; undefined for visits, and for what no request has caused. */
export function servedNetwork(): ServedNetwork | undefined {
  return served.getStore()
}
