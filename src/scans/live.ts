import { PassThrough } from 'node:stream'
import { Type } from 'typebox'
import { problems } from '../http/problem-schema.ts'
import { tokenOf } from '../links/access.ts'
import type { AddOwnerRoute, ScanDeps } from './owner-route.ts'

const HEARTBEAT_MS = 15_000
/** What may wait for a listener that does not read; past it the listener misses events, which only hold newer totals. */
const MAX_WAITING_BYTES = 16 * 1024

/** Server-sent events (WHATWG HTML, 9.2): the totals now and after each fold that changed them, and heartbeats. */
export function liveRoute(addRoute: AddOwnerRoute, { recorder, linkOfToken, onDrain }: ScanDeps): void {
  addRoute(
    'stream',
    {
      summary: 'Follow the totals of a link',
      operationId: 'followTotals',
      tags: ['Statistics'],
      response: {
        200: {
          description: 'An event `totals` each time they change.',
          content: { 'text/event-stream': { schema: Type.String() } },
        },
        ...problems('unknown_token'),
      },
    },
    async (request, reply) => {
      const link = await linkOfToken(tokenOf(request))
      reply.headers({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
      if (request.method === 'HEAD') return reply.send()
      const stream = new PassThrough()
      let sent = ''
      const send = async () => {
        const data = JSON.stringify(await recorder.totals(link.id))
        if (data === sent || stream.readableLength > MAX_WAITING_BYTES || stream.destroyed) return
        sent = data
        stream.write(`event: totals\ndata: ${data}\n\n`)
      }
      const update = () => void send().catch(() => stream.end())
      const heartbeat = setInterval(
        () => stream.readableLength <= MAX_WAITING_BYTES && stream.write(':\n\n'),
        HEARTBEAT_MS,
      )
      const stopListening = recorder.onFold(update)
      const stopClosing = onDrain(() => stream.end())
      stream.once('close', () => {
        clearInterval(heartbeat)
        stopListening()
        stopClosing()
      })
      request.raw.socket.setTimeout(0)
      update()
      return reply.send(stream)
    },
  )
}
