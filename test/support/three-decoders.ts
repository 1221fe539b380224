import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readWithZxing } from './decoders.ts'

/** An image file, PNG or netpbm's, and the ASCII text that it must say. */
export interface Picture {
  name: string
  text: string
  file: Buffer
}

/** What is read in each file, by its path; nothing where no code was found. */
type ReadFiles = (paths: string[], files: Buffer[]) => Promise<Map<string, string>>

const run = promisify(execFile)
const MAX_OUTPUT = 64 * 1024 * 1024

const decoders = {
  async zbarimg(paths) {
    const only = ['-Sdisable', '-Sqrcode.enable']
    // It ends with a code of 4 where a file has no symbol.
    const { stdout } = await run('zbarimg', ['--quiet', '--nodbus', '--xml', ...only, ...paths], {
      maxBuffer: MAX_OUTPUT,
    }).catch((error: unknown) => error as { stdout: string })
    const sources = stdout.matchAll(/<source href='([^']+)'>(.*?)<\/source>/gs)
    return new Map(
      Array.from(sources, ([, path = '', found = '']) => [path, textsOf(found, /<!\[CDATA\[(.*?)\]\]>/gs)]),
    )
  },
  async ZXingReader(paths) {
    // A line a file: its path, the format, the text in quotation marks.
    const { stdout } = await run('ZXingReader', ['-1', '-format', 'QRCode', ...paths], { maxBuffer: MAX_OUTPUT })
    const lines = stdout.split('\n').map((line) => line.split(' ', 1).concat(textsOf(line, /"(.*)"/g)))
    return new Map(lines.map(([path = '', text = '']) => [path, text]))
  },
  async 'zxing-wasm'(paths, files) {
    const readings = files.map(async (file, at) => {
      const found = await readWithZxing(file)
      return [paths[at] ?? '', found.map(({ text }) => text).join('|')] as const
    })
    return new Map(await Promise.all(readings))
  },
} satisfies Record<string, ReadFiles>

type DecoderName = keyof typeof decoders
export const decoderNames = Object.keys(decoders) as DecoderName[]

function textsOf(output: string, pattern: RegExp): string {
  return Array.from(output.matchAll(pattern), ([, text]) => text).join('|')
}

/** So many files are handed to a decoder at once: starting it takes longer than most of what it reads. */
const BATCH = 40

/** Has decoders read all pictures: how many there were, and which of them a decoder did not read exactly. */
export async function missedIn(
  pictures: AsyncIterable<Picture> | Iterable<Picture>,
  names: readonly DecoderName[],
): Promise<{ total: number; missed: string[] }> {
  const batches = batchesOf(pictures)
  const missed: string[] = []
  let total = 0
  const workers = Array.from({ length: availableParallelism() }, async () => {
    for await (const batch of batches) {
      missed.push(...(await missedOf(batch, names)))
      total += batch.length
    }
  })
  await Promise.all(workers)
  return { total, missed }
}

async function* batchesOf(pictures: AsyncIterable<Picture> | Iterable<Picture>): AsyncGenerator<Picture[]> {
  let batch: Picture[] = []
  for await (const picture of pictures) {
    batch.push(picture)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

async function missedOf(batch: Picture[], names: readonly DecoderName[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'quirl-images-'))
  try {
    const paths = batch.map(({ file }, at) =>
      join(folder, `${at}.${file.toString('latin1', 1, 4) === 'PNG' ? 'png' : 'pgm'}`),
    )
    await Promise.all(batch.map(({ file }, at) => writeFile(paths[at] ?? '', file)))
    const readings = names.map(async (name) => {
      const texts = await decoders[name](
        paths,
        batch.map(({ file }) => file),
      )
      return batch.flatMap((picture, at) =>
        texts.get(paths[at] ?? '') === picture.text ? [] : [`${name}: ${picture.name}`],
      )
    })
    return (await Promise.all(readings)).flat()
  } finally {
    await rm(folder, { recursive: true })
  }
}
