import { PassThrough } from 'node:stream'
import { Type } from '#typebox'
import { problems } from '../http/problem-schema.ts'
import { ownerRoutes, tokenOf, type OwnerRoutes } from '../links/access.ts'
import type { Links } from '../links/open.ts'
import type { Slots } from '../limits/slots.ts'
import type { Scans } from './open.ts'

/** More often than a connection on which nothing moves is cut: whoever reads nothing of this has gone away. */
const HEARTBEAT_MS = 15_000
/** What may wait for a listener that does not read; past it the listener misses events, which only hold newer totals. */
const MAX_WAITING_BYTES = 16 * 1024

/** What streams of totals need of the rest of the program. */
export interface LiveNeeds {
  scans: Pick<Scans, 'follow'>
  links: Pick<Links, 'findByToken'>
  slots: Pick<Slots, 'streams'>
  /** Calls back when the service stops, until the returned function is called. */
  onDrain: (listener: () => void) => () => void
}

/**
 * Server-sent events (WHATWG HTML, 9.2): the totals now and after each fold that changed them, and heartbeats.
 * `GET /api/manage/<token>/stream`
 */
export function liveRoutes({ scans, links, slots, onDrain }: LiveNeeds): OwnerRoutes {
  return ownerRoutes({
    config: { work: 'statistics' },
    schema: {
      summary: 'Follow the totals of a link',
      operationId: 'followTotals',
      tags: ['Statistics'],
      response: {
        200: {
          description: 'An event `totals` each time they change.',
          content: { 'text/event-stream': { schema: Type.String() } },
        },
        ...problems('unknown_token', 'rate_limited'),
      },
    },
    async handler(request, reply) {
      const link = await links.findByToken(tokenOf(request))
      const headers = { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' }
      if (request.method === 'HEAD') return reply.headers(headers).send()
      const slot = slots.streams(request)
      const stream = new PassThrough()
      const end = () => stream.end()
      const isRead = () => stream.writable && stream.readableLength <= MAX_WAITING_BYTES
      let sent = ''
      const tell = (totals: string) => {
        if (totals === sent || !isRead()) return
        sent = totals
        stream.write(`event: totals\ndata: ${totals}\n\n`)
      }
      const heartbeat = setInterval(() => isRead() && stream.write(':\n\n'), HEARTBEAT_MS)
      const stopFollowing = scans.follow(link.id, { tell, fail: end })
      const stopClosing = onDrain(end)
      // Also when the client has vanished: the framework destroys what nobody can be sent.
      stream.once('close', () => {
        clearInterval(heartbeat)
        stopFollowing()
        stopClosing()
        slot.release()
      })
      return reply.headers(headers).send(stream)
    },
  })
}
