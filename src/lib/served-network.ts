import { AsyncLocalStorage } from 'node:async_hooks'

const served = new AsyncLocalStorage<string>()

/** Runs work, and all that it causes, for a client of this network. */
export function serveNetwork<T>(network: string, work: () => T): T {
  return served.run(network, work)
}

/** The network of the client whom the present work is for; undefined for visits, and for what no request has caused. */
export function servedNetwork(): string | undefined {
  return served.getStore()
}
