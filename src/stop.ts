import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Services } from './services.ts'

/** How long connections may take to close after the deadline. */
const CUT_MS = 500

/** Times in milliseconds after the signal to stop. */
export interface StopTimes {
  /** How long requests that had begun may take. */
  drainMs: number
  /** How long the whole stop may take. Answered changes are durable already, whatever is still open then. */
  stopMs: number
}

/** Docker and systemd's usual settings wait for 10 seconds and more before they kill. */
const usualTimes: StopTimes = { drainMs: 5_000, stopMs: 7_500 }

/** The sockets of a port besides the server's own. */
export interface Others {
  close: () => Promise<void>
}

/**
 * Ends the process on a signal while it starts, when no change can be lost. The kernel does not deliver signals without a
 * listener to the first process of a container.
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
 * On the first SIGTERM or SIGINT: finishes the requests that had begun, stops accepting, closes the store and exits with 0.
 * Ignores further signals, because npm forwards a signal that the terminal has already sent to the whole group.
 */
export function stopOnSignal(
  app: FastifyInstance,
  services: Services,
  others: Others,
  log: Logger,
  { drainMs, stopMs }: StopTimes = usualTimes,
): void {
  let stopping: Promise<void> | undefined
  const onSignal = () => {
    if (stopping !== undefined) return
    setTimeout(() => {
      log.fatal('could not stop in time; exiting without closing everything')
      process.exit(1)
    }, stopMs)
    stopping = stop(app, services, others, drainMs).then(
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

/** Finishes requests that had begun until the deadline, and closes everything, even if connections stay open. */
async function stop(app: FastifyInstance, services: Services, others: Others, drainMs: number): Promise<void> {
  const late = new Promise((resolve) => setTimeout(resolve, drainMs + CUT_MS))
  await services.drain(drainMs)
  await Promise.race([Promise.all([app.close(), others.close(), services.tls?.close()]), late])
  app.server.closeAllConnections()
  await services.close()
}
