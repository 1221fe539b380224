import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { readWithZxing } from './decoders.ts'

/** An image file, PNG or netpbm's, and the text of its QR code. */
export interface Picture {
  name: string
  text: string
  file: Buffer
  /** Whether its symbol, which is full, does not say that its bytes are UTF-8, so that a decoder of text has to guess. */
  isUnsaid?: boolean
}

/** Reads the concatenated bytes of all codes in the files, without separators. */
type ReadFiles = (paths: string[], files: Buffer[]) => Promise<Buffer>

/**
 * zbarimg's other symbologies are off, because it detects an Interleaved 2 of 5 or a DataBar in the modules of some QR codes, even
 * in qrencode's. Its scanning density stays at the default: with fewer lines it is faster, but misses finder patterns.
 */
const zbarimg = ['--quiet', '--nodbus', '--raw', '-Sdisable', '-Sqrcode.enable']

const decoders = {
  zbarimg: (paths) => outputOf('zbarimg', [...zbarimg, '-Sbinary', ...paths]),
  /** As people use it: it prints text, in the encoding that the symbol says, and guesses where it says none. */
  'zbarimg as text': (paths) => outputOf('zbarimg', [...zbarimg, ...paths]),
  ZXingReader: (paths) => outputOf('ZXingReader', ['-format', 'QRCode', '-bytes', ...paths]),
  async 'zxing-wasm'(_, files) {
    const found = await Promise.all(files.map(readWithZxing))
    return Buffer.from(
      found
        .flat()
        .map(({ bytes }) => bytes)
        .join(''),
      'latin1',
    )
  },
} satisfies Record<string, ReadFiles>

type DecoderName = keyof typeof decoders
export const decoderNames = Object.keys(decoders) as DecoderName[]

/** The output of a program, whatever its exit status, which also reports files without a code. */
function outputOf(program: string, args: string[]): Promise<Buffer> {
  return buffer(spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] }).stdout)
}

/** The number of files per run of a decoder: starting it takes longer than reading most files. */
const BATCH = 40

/** Reads all pictures with the decoders; returns their number, and those that a decoder did not read exactly. */
export function missedIn(
  pictures: AsyncIterable<Picture> | Iterable<Picture>,
  names: readonly DecoderName[],
): Promise<{ total: number; missed: string[] }> {
  return missedInBatches(pictures, (batch) => missedOf(batch, names))
}

/** The same with another check of each batch. */
export async function missedInBatches<P extends Picture>(
  pictures: AsyncIterable<P> | Iterable<P>,
  missedOfBatch: (batch: P[]) => Promise<string[]>,
): Promise<{ total: number; missed: string[] }> {
  const batches = batchesOf(pictures)
  const missed: string[] = []
  let total = 0
  const workers = Array.from({ length: availableParallelism() }, async () => {
    for await (const batch of batches) {
      missed.push(...(await missedOfBatch(batch)))
      total += batch.length
    }
  })
  await Promise.all(workers)
  return { total, missed }
}

async function* batchesOf<P extends Picture>(pictures: AsyncIterable<P> | Iterable<P>): AsyncGenerator<P[]> {
  let batch: P[] = []
  for await (const picture of pictures) {
    batch.push(picture)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** The pictures that the decoders did not read exactly. */
export async function missedOf(batch: readonly Picture[], names: readonly DecoderName[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'quirl-images-'))
  try {
    const paths = batch.map(({ file }, at) =>
      join(folder, `${at}.${file.toString('latin1', 1, 4) === 'PNG' ? 'png' : 'pgm'}`),
    )
    await Promise.all(batch.map(({ file }, at) => writeFile(paths[at] ?? '', file)))
    const said = batch.flatMap((picture, at) => (picture.isUnsaid === true ? [] : [{ picture, path: paths[at] ?? '' }]))
    const missed = names.map((name) =>
      name === 'zbarimg as text'
        ? missedBy(
            name,
            said.map(({ picture }) => picture),
            said.map(({ path }) => path),
          )
        : missedBy(name, batch, paths),
    )
    return (await Promise.all(missed)).flat()
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Reads all files in one run; if the result differs, reads each file in a separate run to find the wrong ones. */
async function missedBy(name: DecoderName, batch: readonly Picture[], paths: string[]): Promise<string[]> {
  const found = await decoders[name](
    paths,
    batch.map(({ file }) => file),
  )
  const end = name === 'zbarimg as text' ? '\n' : ''
  if (found.equals(Buffer.from(batch.map(({ text }) => text + end).join('')))) return []
  const [only] = batch
  if (batch.length === 1 && only !== undefined) return [`${name}: ${only.name}`]
  const missed: string[] = []
  for (const [at, picture] of batch.entries()) missed.push(...(await missedBy(name, [picture], [paths[at] ?? ''])))
  return missed.length > 0 ? missed : [`${name}: a picture among ${batch.map((each) => each.name).join('; ')}`]
}
