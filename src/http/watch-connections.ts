import type { Server, Socket } from 'node:net'

/** Follows the connections of a server. */
export interface ConnectionWatcher {
  onOpen: (socket: Socket) => void
  onClose: (socket: Socket) => void
}

const watchersOf = new WeakMap<Server, ConnectionWatcher[]>()

/**
 * Adds a watcher of all later connections of a server. All watchers share one listener for both events: a phone opens a connection
 * for one visit, and listeners of their own, each with a closure, would take more memory than the visit.
 * @param isFirst whether it is told before the watchers that are there
 */
export function watchConnections(server: Server, watcher: ConnectionWatcher, isFirst = false): void {
  const known = watchersOf.get(server)
  if (known !== undefined) return void (isFirst ? known.unshift(watcher) : known.push(watcher))
  const watchers = [watcher]
  watchersOf.set(server, watchers)
  function onClose(this: Socket): void {
    for (const each of watchers) each.onClose(this)
  }
  server.prependListener('connection', (socket: Socket) => {
    socket.on('close', onClose)
    for (const each of watchers) each.onOpen(socket)
  })
}
