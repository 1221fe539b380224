import { fromBase64, joinBytes, latin1, toBase64, viewOf } from '../../lib/bytes.ts'
import { LogoError } from './error.ts'
import { readJpeg } from './jpeg.ts'
import { sanitizeSvg } from './svg.ts'
import { XmlError } from './xml-reader.ts'

/** The largest logo, in bytes. */
export const MAX_LOGO_BYTES = 256 * 1024
export const TOO_LARGE = `must be at most ${MAX_LOGO_BYTES / 1024} KiB`
/** Pixels of a side at most: logos are drawn far smaller, and a small file can declare any size. */
export const MAX_LOGO_SIDE = 2048

/** A logo that is safe to draw and to embed. */
export type Logo = { ratio: number } & (
  | { type: 'svg'; markup: string }
  | {
      type: 'png' | 'jpeg'
      base64: string
      /** Pixels as stored, before the orientation. */
      width: number
      height: number
      /** The Exif orientation, 1 to 8. */
      orientation: number
    }
)

/** Functions that validate a PNG; browsers have no synchronous ones. */
export interface Zlib {
  crc32: (bytes: Uint8Array) => number
  /** The length after decompression; undefined when the data is damaged, or longer than `max`. */
  unpackedLength: (compressed: Uint8Array, max: number) => number | undefined
}

/** Reads the logo of a design. */
export type ReadLogo = (dataUri: string) => Logo

/**
 * Reads a logo from a data URI by its content, whatever its declared type, and removes everything that drawing does not
 * need: scripts, references, metadata.
 * @param zlib without it the pixels of a PNG are not validated: a preview may show a logo that is refused later
 * @throws {LogoError}
 */
export function readLogo(dataUri: string, zlib?: Zlib): Logo {
  const body = dataOf(dataUri)
  if (body === '') throw new LogoError('is empty: a data URI without data')
  const file = body === undefined ? undefined : fromBase64(body)
  if (file === undefined) {
    throw new LogoError('must be a data URI in base64, of image/png, image/jpeg or image/svg+xml')
  }
  if (file.length > MAX_LOGO_BYTES) throw new LogoError(TOO_LARGE)
  try {
    if (latin1(file.subarray(0, 2)) === '\xff\xd8') return jpegLogo(file)
    if (latin1(file.subarray(1, 4)) === 'PNG') return readPng(file, zlib)
  } catch (error) {
    // A length in the file points past its end.
    if (error instanceof RangeError) throw new LogoError('is an image that is cut off', { cause: error })
    throw error
  }
  return readSvg(file)
}

/** The data of a data URI of an allowed type. */
function dataOf(dataUri: string): string | undefined {
  const comma = dataUri.indexOf(',')
  const [type = '', ...parameters] = dataUri.slice(0, Math.max(0, comma)).split(';')
  const isKnown =
    /^data:image\/(?:png|jpeg|svg\+xml)$/.test(type) &&
    parameters.pop() === 'base64' &&
    parameters.every((each) => /^[\w-]+=[\w-]+$/.test(each))
  const data = dataUri.slice(comma + 1)
  return isKnown && /^[A-Za-z0-9+/]*={0,2}$/.test(data) ? data : undefined
}

/** Caches the last logo: the same one is drawn several times while its design is changed and checked. */
export function createReadOnce(read: ReadLogo): ReadLogo {
  let last: { dataUri: string; logo: Logo } | undefined
  return (dataUri) => {
    if (last?.dataUri !== dataUri) last = { dataUri, logo: read(dataUri) }
    return last.logo
  }
}

/** Encodes a file as a data URI whose type follows from its first bytes; SVG when they are unknown. */
export function dataUriOf(file: Uint8Array): string {
  const start = latin1(file.subarray(0, 4))
  const type = start.startsWith('\xff\xd8') ? 'jpeg' : start.endsWith('PNG') ? 'png' : 'svg+xml'
  return `data:image/${type};base64,${toBase64(file)}`
}

function jpegLogo(file: Uint8Array): Logo {
  const { picture, width, height, orientation } = readJpeg(file)
  const size = sized(width, height)
  const ratio = orientation >= 5 ? 1 / size.ratio : size.ratio
  return { type: 'jpeg', base64: toBase64(picture), ...size, ratio, orientation }
}

function readSvg(file: Uint8Array): Logo {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(file)
  } catch {
    throw new LogoError('is neither a PNG nor a JPEG nor an SVG in UTF-8')
  }
  if (!/^\s*</.test(text.replace(/^\ufeff/, ''))) throw new LogoError('is neither a PNG nor a JPEG nor an SVG')
  try {
    return { type: 'svg', ...sanitizeSvg(text) }
  } catch (error) {
    if (error instanceof XmlError) throw new LogoError(error.message, { cause: error })
    throw error
  }
}

function sized(width: number, height: number): { width: number; height: number; ratio: number } {
  if (width < 1 || height < 1 || width > MAX_LOGO_SIDE || height > MAX_LOGO_SIDE) {
    throw new LogoError(`is ${width} × ${height} pixels: each side must be 1 to ${MAX_LOGO_SIDE}`)
  }
  if (width > height * 20 || height > width * 20) throw new LogoError('must have a ratio of at most 20:1')
  return { width, height, ratio: width / height }
}

const neededChunks = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'])
/** Samples of a pixel, by colour type (ISO/IEC 15948, 11.2.2). */
const samples: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

/** A chunk of a PNG. */
interface Chunk {
  type: string
  data: Uint8Array
  whole: Uint8Array
}

/** Keeps only the chunks that the image needs. Its data must not decompress to more than its declared size. */
function readPng(file: Uint8Array, zlib: Zlib | undefined): Logo {
  const chunks = chunksOf(file, zlib).filter(({ type }) => neededChunks.has(type))
  const header = chunks[0]?.type === 'IHDR' ? chunks[0].data : undefined
  if (header?.length !== 13) throw new LogoError('is a PNG without a header')
  if (chunks.some(({ type }, at) => type === 'IHDR' && at > 0)) throw new LogoError('is a PNG of several headers')
  if (chunks.at(-1)?.type !== 'IEND') throw new LogoError('is a PNG that is cut off')
  const size = sized(viewOf(header).getUint32(0), viewOf(header).getUint32(4))
  if (zlib !== undefined) checkPixels(chunks, size, zlib)
  const kept = [file.subarray(0, 8), ...chunks.map(({ whole }) => whole)]
  return { type: 'png', base64: toBase64(joinBytes(kept)), ...size, orientation: 1 }
}

function chunksOf(file: Uint8Array, zlib: Zlib | undefined): Chunk[] {
  const chunks: Chunk[] = []
  const view = viewOf(file)
  for (let at = 8; at + 12 <= file.length;) {
    const end = at + 8 + view.getUint32(at)
    if (end + 4 > file.length) throw new LogoError('is a PNG that is cut off')
    const isWhole = zlib === undefined || zlib.crc32(file.subarray(at + 4, end)) === view.getUint32(end)
    if (!isWhole) throw new LogoError('is a PNG that is damaged')
    const type = latin1(file.subarray(at + 4, at + 8))
    chunks.push({ type, data: file.subarray(at + 8, end), whole: file.subarray(at, end + 4) })
    at = end + 4
  }
  return chunks
}

function checkPixels(chunks: Chunk[], { width, height }: { width: number; height: number }, zlib: Zlib): void {
  const [depth = 0, colorType = 0, , , interlace = 0] = chunks[0]?.data.subarray(8) ?? []
  const bits = depth * (samples[colorType] ?? 0)
  // Interlaced images have up to seven rows for one, some of them a byte longer.
  const max = (Math.ceil((width * bits) / 8) + 1) * height + (interlace === 0 ? 0 : (height + 8) * 14)
  const compressed = joinBytes(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data))
  const length = zlib.unpackedLength(compressed, max)
  if (length === undefined) {
    throw new LogoError('is a PNG whose image is damaged, or larger than its header says')
  }
  if (bits === 0 || (interlace === 0 && length < max)) throw new LogoError('is a PNG that is cut off')
}
