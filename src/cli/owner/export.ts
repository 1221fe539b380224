import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import type { Flags } from '../../config/sources.ts'
import { StartError } from '../../lib/start-error.ts'
import type { Command } from '../command.ts'
import { openStandardOutput } from '../output.ts'
import { ofLinkOptions } from './options.ts'
import { openLink } from './open-link.ts'
import { dataOf } from './service.ts'

/** The flags of every export of visits. */
export const exportOptions = {
  out: { type: 'string', doc: 'the file to write' },
  format: { type: 'string', doc: 'csv, or ndjson: an object in each line [csv]' },
} as const

export const exportScans: Command = {
  name: 'export',
  usage: '<link>',
  summary: 'write every visit of a link as CSV or JSON, or all of the link as a ZIP, to standard output or a file',
  options: {
    server: ofLinkOptions.server,
    collection: ofLinkOptions.collection,
    ...exportOptions,
    bundle: { type: 'boolean', doc: 'write the ZIP of the link, its design, counts and visits, for "quirl import"' },
  },
  async run(context) {
    const format = formatOf(context.flags)
    const { out, bundle } = context.flags
    if (bundle && context.flags['format'] !== undefined) throw new StartError('give either --format or --bundle')
    const { link } = await openLink(context)
    const stream = { parseAs: 'stream' } as const
    const response = bundle
      ? await link.GET('/api/manage/bundle', stream)
      : await link.GET(`/api/manage/scans.${format}`, stream)
    await writeBody(dataOf<unknown>(response) as ReadableStream<Uint8Array>, out)
    return ''
  },
}

/** @throws {StartError} for another `--format` */
export function formatOf({ format = 'csv' }: Flags): 'csv' | 'ndjson' {
  if (format === 'csv' || format === 'ndjson') return format
  throw new StartError('--format must be csv or ndjson')
}

/** Writes a response to the file of `--out`, or to standard output. */
export async function writeBody(body: ReadableStream<Uint8Array>, out: Flags[string]): Promise<void> {
  if (typeof out !== 'string') {
    const { write } = openStandardOutput()
    for await (const piece of body) await write(piece)
    return
  }
  try {
    await pipeline(Readable.fromWeb(body), createWriteStream(out, { mode: 0o600 }))
  } catch (error) {
    throw new StartError(`--out=${out}: ${(error as Error).message}`, { cause: error })
  }
}
