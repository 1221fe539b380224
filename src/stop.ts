import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Services } from './services.ts'

// Docker and systemd's usual settings wait for 10 seconds and more before they kill.
/** How long requests that run may go on after the signal to stop. */
const DRAIN_MS = 5_000
const SWEEP_MS = 100
/** How long connections may take to go once they have been cut. */
const CUT_MS = 500
/** How long the whole stop may take. What is answered is kept already, whatever is still open then. */
const STOP_MS = 7_500

/** The sockets of a port besides the server's own. */
export interface Others {
  close: () => Promise<void>
}

/**
 * Ends the process on a signal while it starts, when nothing has been answered that could be lost: the first process of a
 * container is not told of signals that it does not listen for.
 */
export function leaveOnSignal(): { end: () => void } {
  const leave = () => process.exit(0)
  const signals = ['SIGTERM', 'SIGINT'] as const
  for (const signal of signals) process.on(signal, leave)
  return {
    end: () => {
      for (const signal of signals) process.off(signal, leave)
    },
  }
}

/**
 * On the first SIGTERM or SIGINT: stop accepting, finish what runs, close the store, exit 0. Further signals are
 * ignored, because npm passes on what the terminal has sent to the whole group already.
 */
export function stopOnSignal(app: FastifyInstance, services: Services, others: Others, log: Logger): void {
  let stopping: Promise<void> | undefined
  const onSignal = () => {
    if (stopping !== undefined) return
    setTimeout(() => {
      log.fatal('could not stop in time; what is open is left as it is')
      process.exit(1)
    }, STOP_MS)
    stopping = stop(app, services, others).then(
      () => process.exit(0),
      (error: unknown) => {
        log.fatal({ err: error }, 'could not stop cleanly')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}

/** Finishes what runs, for as long as that may take, and closes everything, also when connections do not go. */
async function stop(app: FastifyInstance, services: Services, others: Others): Promise<void> {
  services.drain()
  // A connection whose last request has been answered would rest until its time-out.
  const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS)
  const deadline = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS)
  const late = new Promise((resolve) => setTimeout(resolve, DRAIN_MS + CUT_MS))
  await Promise.race([Promise.all([app.close(), others.close(), services.tls?.close()]), late])
  clearInterval(sweep)
  clearTimeout(deadline)
  await services.close()
}
