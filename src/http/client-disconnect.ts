import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from './problem.ts'

/** What work for a client who has disconnected ends with: nobody gets it, and it is not worth logging. */
export const disconnected = () => new Problem('unavailable', 'the client has disconnected')

/** Aborts with `disconnected()` when the client disconnects before it has the whole response; at once when it has done so before. */
export function disconnectSignal({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const left = new AbortController()
  const onClose = () => {
    if (!raw.writableFinished) left.abort(disconnected())
  }
  if (raw.destroyed) onClose()
  else raw.once('close', onClose)
  return left.signal
}

/** Runs work for the response to a request, with a signal that aborts when the client disconnects meanwhile. */
export async function whileConnected<T>(
  { raw: { socket } }: Pick<FastifyRequest, 'raw'>,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const left = new AbortController()
  const onClose = () => left.abort(disconnected())
  if (socket.destroyed) onClose()
  socket.once('close', onClose)
  try {
    return await work(left.signal)
  } finally {
    socket.off('close', onClose)
  }
}
