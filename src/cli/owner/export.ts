import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { StartError } from '../../lib/start-error.ts'
import type { Command } from '../command.ts'
import { openStandardOutput } from '../output.ts'
import { serviceOptions } from './options.ts'
import { dataOf, openLink } from './service.ts'

export const exportScans: Command = {
  name: 'export',
  usage: '<link>',
  summary: 'write every visit of a link as CSV or JSON, or all of the link as a ZIP, to standard output or a file',
  options: {
    server: serviceOptions.server,
    out: { type: 'string', doc: 'the file to write' },
    format: { type: 'string', doc: 'csv, or ndjson: an object in each line [csv]' },
    bundle: { type: 'boolean', doc: 'write the ZIP of the link, its design, counts and visits, for "quirl import"' },
  },
  async run(context) {
    const { out, bundle, format = 'csv' } = context.flags
    if (format !== 'csv' && format !== 'ndjson') throw new StartError('--format must be csv or ndjson')
    if (bundle && context.flags['format'] !== undefined) throw new StartError('give either --format or --bundle')
    const { link } = openLink(context)
    const stream = { parseAs: 'stream' } as const
    const response = bundle
      ? await link.GET('/api/manage/bundle', stream)
      : await link.GET(`/api/manage/scans.${format}`, stream)
    const body = dataOf<unknown>(response) as ReadableStream<Uint8Array>
    if (typeof out !== 'string') {
      const { write } = openStandardOutput()
      for await (const piece of body) await write(piece)
      return ''
    }
    try {
      await pipeline(Readable.fromWeb(body), createWriteStream(out, { mode: 0o600 }))
    } catch (error) {
      throw new StartError(`--out=${out}: ${(error as Error).message}`, { cause: error })
    }
    return ''
  },
}
