import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { isWhole } from './corpus.ts'
import { readWithZxing } from './decoders.ts'

/** An image file, PNG or netpbm's, and the text of its QR code. */
export interface Picture {
  name: string
  text: string
  file: Buffer
  /** Whether its symbol, which is full, does not say that its bytes are UTF-8, so that a decoder of text has to guess. */
  isUnsaid?: boolean
}

/** A picture, and where its file is. */
interface Filed {
  picture: Picture
  path: string
}

/** Reads the concatenated bytes of all codes in the files, without separators. */
type ReadFiles = (paths: string[], files: Buffer[]) => Promise<Buffer>

/**
 * zbarimg's other symbologies are off, because it detects an Interleaved 2 of 5 or a DataBar in the modules of some QR codes, even
 * in qrencode's. Its scanning density stays at the default: with fewer lines it is faster, but misses finder patterns.
 */
const zbarimg = ['--quiet', '--nodbus', '--raw', '-Sdisable', '-Sqrcode.enable']

const readers = {
  /** As people use it: it prints text, in the encoding that the symbol says, and guesses where it says none. */
  'zbarimg as text': (paths) => outputOf('zbarimg', [...zbarimg, ...paths]),
  'zbarimg as bytes': (paths) => outputOf('zbarimg', [...zbarimg, '-Sbinary', ...paths]),
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

type ReaderName = keyof typeof readers
export const decoderNames = ['zbarimg', 'ZXingReader', 'zxing-wasm'] as const
type DecoderName = (typeof decoderNames)[number]

/**
 * What reads which of the pictures for a decoder. The text that zbarimg prints is exact only if its bytes are, so that it reads
 * no picture twice, which takes longest of all; bytes are for symbols whose encoding it has to guess, and for the whole corpus.
 */
function readingsOf(name: DecoderName, said: Filed[], unsaid: Filed[]): [ReaderName, Filed[]][] {
  if (name !== 'zbarimg') return [[name, [...said, ...unsaid]]]
  return [
    ['zbarimg as text', said],
    ['zbarimg as bytes', isWhole ? [...said, ...unsaid] : unsaid],
  ]
}

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
    const filed = batch.map((picture, at) => ({ picture, path: paths[at] ?? '' }))
    const said = filed.filter(({ picture }) => picture.isUnsaid !== true)
    const unsaid = filed.filter(({ picture }) => picture.isUnsaid === true)
    const readings = names.flatMap((name) => readingsOf(name, said, unsaid)).filter(([, some]) => some.length > 0)
    const missed = readings.map(([reader, some]) => missedBy(reader, some))
    return (await Promise.all(missed)).flat()
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Reads all files in one run; if the result differs, reads each file in a separate run to find the wrong ones. */
async function missedBy(name: ReaderName, batch: readonly Filed[]): Promise<string[]> {
  const found = await readers[name](
    batch.map(({ path }) => path),
    batch.map(({ picture }) => picture.file),
  )
  const end = name === 'zbarimg as text' ? '\n' : ''
  if (found.equals(Buffer.from(batch.map(({ picture }) => picture.text + end).join('')))) return []
  const [only] = batch
  if (batch.length === 1 && only !== undefined) return [`${name}: ${only.picture.name}`]
  const missed: string[] = []
  for (const each of batch) missed.push(...(await missedBy(name, [each])))
  return missed.length > 0
    ? missed
    : [`${name}: a picture among ${batch.map(({ picture }) => picture.name).join('; ')}`]
}
