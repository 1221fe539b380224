import type { QuirlClient, Schemas } from '../../client/client.ts'
import { dataOf } from './service.ts'

/** The longest event that is read, in characters. */
const MAX_EVENT = 65_536

/** Calls back with the totals of a link whenever they change, until the service ends the stream. */
export async function watchTotals(
  link: QuirlClient,
  onTotals: (totals: Schemas['Totals']) => Promise<void>,
): Promise<void> {
  const response = await link.GET('/api/manage/stream', { parseAs: 'stream' })
  const stream = dataOf<unknown>(response) as ReadableStream<Uint8Array<ArrayBuffer>>
  let text = ''
  for await (const piece of stream.pipeThrough(new TextDecoderStream())) {
    text += piece
    const events = text.split('\n\n')
    text = (events.pop() ?? '').slice(-MAX_EVENT)
    for (const event of events) {
      const [, data] = /^data: ?(.*)$/m.exec(event) ?? []
      if (data !== undefined) await onTotals(JSON.parse(data) as Schemas['Totals'])
    }
  }
}
