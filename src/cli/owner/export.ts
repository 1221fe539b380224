import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { StartError } from '../../lib/start-error.ts'
import type { Command } from '../command.ts'
import { serviceOptions } from './options.ts'
import { dataOf, openLink } from './service.ts'

export const exportScans: Command = {
  name: 'export',
  usage: '<link>',
  summary: 'write every scan of a link as CSV, to standard output or a file',
  options: { server: serviceOptions.server, out: { type: 'string', doc: 'the file to write' } },
  async run(context) {
    const { out } = context.flags
    const { link } = openLink(context)
    const body = dataOf<unknown>(await link.GET('/api/manage/scans.csv', { parseAs: 'stream' })) as ReadableStream
    if (typeof out !== 'string') {
      await pipeline(Readable.fromWeb(body), process.stdout, { end: false })
      return ''
    }
    try {
      await pipeline(Readable.fromWeb(body), createWriteStream(out))
    } catch (error) {
      throw new StartError(`--out=${out}: ${(error as Error).message}`, { cause: error })
    }
    return ''
  },
}
