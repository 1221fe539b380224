import { crc32, inflateSync } from 'node:zlib'
import { joinPng } from '../png/png.ts'
import { sanitizeSvg } from './logo-svg.ts'
import { XmlError } from './xml-reader.ts'

/** The largest logo, in bytes. */
export const MAX_LOGO_BYTES = 256 * 1024
/** The most pixels of a side: a logo is drawn far smaller, and a small file can claim any size. */
const MAX_LOGO_SIDE = 2048

/** A logo that is safe to draw and to hand on. */
export type Logo = { ratio: number } & (
  | { type: 'svg'; markup: string }
  | { type: 'png' | 'jpeg'; file: Buffer; width: number; height: number }
)

/** What is wrong with a logo, in words that follow "the logo". */
export class LogoError extends Error {}

/**
 * Reads a logo given as a data URI, by what its bytes are and not by what they are said to be, and takes out of it all
 * that is not needed to draw it: programs, references, metadata.
 * @throws {LogoError}
 */
export function readLogo(dataUri: string): Logo {
  const body = /^data:image\/(?:png|jpeg|svg\+xml)(?:;[\w-]+=[\w-]+)*;base64,([A-Za-z0-9+/]*={0,2})$/.exec(dataUri)?.[1]
  if (body === undefined || body === '') {
    throw new LogoError('must be a data URI in base64, of image/png, image/jpeg or image/svg+xml')
  }
  const file = Buffer.from(body, 'base64')
  if (file.length > MAX_LOGO_BYTES) throw new LogoError(`must be at most ${MAX_LOGO_BYTES / 1024} KiB`)
  try {
    if (file.subarray(0, 2).toString('hex') === 'ffd8') return readJpeg(file)
    if (file.subarray(1, 4).toString('latin1') === 'PNG') return readPng(file)
  } catch (error) {
    // A length in the file leads past its end.
    if (error instanceof RangeError) throw new LogoError('is a picture that is cut off', { cause: error })
    throw error
  }
  return readSvg(file)
}

function readSvg(file: Buffer): Logo {
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

/** Keeps the chunks that make the picture. Its data may unpack to no more than the picture that it says it is. */
function readPng(file: Buffer): Logo {
  const chunks: (readonly [type: string, data: Buffer])[] = []
  for (let at = 8; at + 12 <= file.length;) {
    const length = file.readUInt32BE(at)
    const end = at + 8 + length
    if (end + 4 > file.length) throw new LogoError('is a PNG that is cut off')
    if (crc32(file.subarray(at + 4, end)) !== file.readUInt32BE(end)) throw new LogoError('is a PNG that is damaged')
    const type = file.toString('latin1', at + 4, at + 8)
    if (neededChunks.has(type)) chunks.push([type, file.subarray(at + 8, end)])
    at = end + 4
  }
  const header = chunks[0]?.[0] === 'IHDR' ? chunks[0][1] : undefined
  if (header?.length !== 13) throw new LogoError('is a PNG without a header')
  if (chunks.at(-1)?.[0] !== 'IEND') throw new LogoError('is a PNG that is cut off')
  const size = sized(header.readUInt32BE(0), header.readUInt32BE(4))
  checkPixels(header, size, Buffer.concat(chunks.filter(([type]) => type === 'IDAT').map(([, data]) => data)))
  return { type: 'png', file: joinPng(chunks), ...size }
}

function checkPixels(header: Buffer, { width, height }: { width: number; height: number }, packed: Buffer): void {
  const [depth = 0, colorType = 0, , , interlace = 0] = header.subarray(8)
  const bits = depth * (samples[colorType] ?? 0)
  // Interlaced pictures have up to seven rows for one, some of them a byte longer.
  const most = (Math.ceil((width * bits) / 8) + 1) * height + (interlace === 0 ? 0 : (height + 8) * 14)
  let length: number
  try {
    length = inflateSync(packed, { maxOutputLength: most }).length
  } catch (error) {
    throw new LogoError('is a PNG whose picture is damaged, or larger than its header says', { cause: error })
  }
  if (bits === 0 || (interlace === 0 && length < most)) throw new LogoError('is a PNG that is cut off')
}

const START_OF_SCAN = 0xda
const END_OF_IMAGE = Buffer.from([0xff, 0xd9])

/** Keeps the segments that make the picture (ITU-T T.81, annex B), and of the applications' ones only Adobe's colours. */
function readJpeg(file: Buffer): Logo {
  const parts = [file.subarray(0, 2)]
  let size: ReturnType<typeof sized> | undefined
  for (let at = 2; at + 4 <= file.length;) {
    const marker = file.readUInt8(at + 1)
    if (file.readUInt8(at) !== 0xff) throw new LogoError('is a JPEG that is damaged')
    const end = at + 2 + file.readUInt16BE(at + 2)
    const last = marker === START_OF_SCAN ? file.lastIndexOf(END_OF_IMAGE) : file.length
    if (end > last) break
    // Frames: baseline, extended and progressive; not the arithmetic and lossless ones that nothing draws.
    if (marker >= 0xc0 && marker <= 0xc2) size = sized(file.readUInt16BE(at + 7), file.readUInt16BE(at + 5))
    if (marker === START_OF_SCAN) {
      if (size === undefined) throw new LogoError('is a JPEG without a size, or of a rare kind')
      return { type: 'jpeg', file: Buffer.concat([...parts, file.subarray(at, last + 2)]), ...size }
    }
    if (!isMetadata(marker)) parts.push(file.subarray(at, end))
    at = end
  }
  throw new LogoError('is a JPEG that is cut off')
}

const COMMENT = 0xfe
const ADOBE = 0xee

function isMetadata(marker: number): boolean {
  return marker === COMMENT || (marker >= 0xe0 && marker <= 0xef && marker !== ADOBE)
}
