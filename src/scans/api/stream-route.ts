import { PassThrough } from 'node:stream'
import { Type } from '#typebox'
import { problems } from '../../http/problem-schema.ts'
import { ownerRoutes, credentialOf, type OwnerRoutes } from '../../links/api/owner-routes.ts'
import type { Links } from '../../links/open.ts'
import type { Slots } from '../../limits/slots.ts'
import type { Scans } from '../open.ts'

/** Shorter than the time-out of connections without progress: that closes a stream whose client does not read. */
const HEARTBEAT_MS = 15_000
/** The buffer of a client that does not read; beyond it the client misses events, which a later one supersedes. */
const MAX_BUFFERED_BYTES = 16 * 1024

/** What streams of totals need of the rest of the program. */
export interface StreamNeeds {
  scans: Pick<Scans, 'subscribe'>
  links: Pick<Links, 'findByToken' | 'watchToken'>
  slots: Pick<Slots, 'streams'>
  /** Calls back when the service stops, at once if it does already, until the returned function is called. */
  onDrain: (listener: () => void) => () => void
}

const schema = {
  summary: 'Follow the totals of a link',
  operationId: 'followTotals',
  tags: ['Statistics'],
  response: {
    200: {
      description: 'An event `totals` each time they change, until the token no longer works.',
      content: { 'text/event-stream': { schema: Type.String() } },
    },
    ...problems('unknown_token', 'link_deleted'),
  },
}

/**
 * Sends server-sent events (WHATWG HTML, 9.2): the totals now and after each fold that changed them, and heartbeats. They end
 * with the token.
 * `GET /api/manage/<token>/stream`
 */
export function streamRoutes({ scans, links, slots, onDrain }: StreamNeeds): OwnerRoutes {
  return ownerRoutes({
    config: { work: 'statistics' },
    schema,
    async handler(request, reply) {
      const token = credentialOf(request)
      const link = await links.findByToken(token)
      const headers = { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' }
      if (request.method === 'HEAD') return reply.headers(headers).send()
      const slot = slots.streams(request, link.id)
      const stream = new PassThrough()
      const end = () => stream.end()
      const isRead = () => stream.writable && stream.readableLength <= MAX_BUFFERED_BYTES
      let last = ''
      const send = (totals: string) => {
        if (totals === last || !isRead()) return
        last = totals
        stream.write(`event: totals\ndata: ${totals}\n\n`)
      }
      const heartbeat = setInterval(() => isRead() && stream.write(':\n\n'), HEARTBEAT_MS)
      const endings = [scans.subscribe(link.id, { send, fail: end }), links.watchToken(token, end), onDrain(end)]
      slot.signal.addEventListener('abort', end)
      // Fastify destroys the stream when the client disconnects.
      stream.once('close', () => {
        clearInterval(heartbeat)
        for (const remove of endings) remove()
        slot.release()
      })
      return reply.headers(headers).send(stream)
    },
  })
}
