import { joinBytes, latin1, viewOf } from '../../lib/bytes.ts'
import { LogoError } from './error.ts'

// Markers (ITU-T T.81, table B.1).
const END = 0xd9
const START_OF_SCAN = 0xda
const EXIF = 0xe1
const ADOBE = 0xee
/** A progressive image has ten or so; each costs as much as the whole image, however few bytes it has. */
const MAX_SCANS = 32
/** Huffman and quantisation tables, number of lines, restart interval. */
const tables = new Set([0xc4, 0xdb, 0xdc, 0xdd])

/** A JPEG without its metadata. */
export interface Jpeg {
  picture: Uint8Array
  /** As stored, before the orientation. */
  width: number
  height: number
  /** The Exif orientation, 1 to 8 (Exif 2.32, 4.6.4 A); 1 is upright. */
  orientation: number
}

/**
 * Keeps only the segments of a JPEG that its image needs: of the application segments, only Adobe's colour transform.
 * Bytes after the end marker are dropped: phones append previews with metadata there.
 * @throws {LogoError}
 * @throws {RangeError} when the file is truncated
 */
export function readJpeg(file: Uint8Array): Jpeg {
  const view = viewOf(file)
  const parts = [file.subarray(0, 2)]
  let size: { width: number; height: number } | undefined
  let orientation = 1
  let scans = 0
  for (let at = markerFrom(view, 2), end = at; ; at = markerFrom(view, end)) {
    const marker = view.getUint8(at + 1)
    if (marker === END) {
      if (scans === 0 || size === undefined) throw new LogoError('is a JPEG without a picture')
      return { picture: joinBytes([...parts, file.subarray(at, at + 2)]), ...size, orientation }
    }
    end = endOfSegment(view, at, marker)
    if (isFrame(marker)) size = sizeOf(view, at, size !== undefined)
    if (marker === EXIF) orientation = orientationOf(file.subarray(at + 4, end)) ?? orientation
    if (isNeeded(marker, end - at)) parts.push(file.subarray(at, end))
    if (marker !== START_OF_SCAN) continue
    if (size === undefined) throw new LogoError('is a JPEG without a size, or of a rare kind')
    if (++scans > MAX_SCANS) throw new LogoError(`is a JPEG of more than ${MAX_SCANS} scans: save it anew`)
  }
}

/** The size in a frame header (B.2.2). A renderer makes room for the first of several, whatever the others say. */
function sizeOf(view: DataView, at: number, hasFrame: boolean): { width: number; height: number } {
  if (hasFrame) throw new LogoError('is a JPEG of several frames: save it anew')
  // Four components are CMYK, which renderers draw in different colours, or not at all.
  if (view.getUint8(at + 9) === 4) throw new LogoError('is a JPEG in CMYK: save it in RGB')
  return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
}

/** The orientation tag in the first directory of Exif metadata (TIFF 6.0, section 2); undefined when there is none. */
function orientationOf(segment: Uint8Array): number | undefined {
  if (latin1(segment.subarray(0, 6)) !== 'Exif\0\0' || segment.length < 14) return undefined
  const tiff = viewOf(segment.subarray(6))
  const isLittle = tiff.getUint16(0) === 0x4949
  const number = (at: number) => (at + 2 <= tiff.byteLength ? tiff.getUint16(at, isLittle) : 0)
  const directory = tiff.getUint32(4, isLittle)
  const entries = number(directory)
  for (let at = directory + 2; at < Math.min(directory + 2 + 12 * entries, tiff.byteLength); at += 12) {
    if (number(at) !== 0x0112) continue
    const orientation = number(at + 8)
    return orientation >= 1 && orientation <= 8 ? orientation : undefined
  }
  return undefined
}

function endOfSegment(view: DataView, at: number, marker: number): number {
  // Markers without a length belong inside a scan, or at the start of a file.
  if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xd8)) throw new LogoError('is a JPEG that is damaged')
  const end = at + 2 + view.getUint16(at + 2)
  return marker === START_OF_SCAN ? endOfScan(view, end) : end
}

/** The index of the next marker, after any number of fill bytes (B.1.1.2). */
function markerFrom(view: DataView, from: number): number {
  let at = from
  if (view.getUint8(at) !== 0xff) throw new LogoError('is a JPEG that is damaged')
  while (view.getUint8(at + 1) === 0xff) at++
  return at
}

/** The index of the marker that ends a scan, whose data may contain stuffed zeros and restart markers (B.1.1.5). */
function endOfScan(view: DataView, from: number): number {
  for (let at = from; ; at++) {
    if (view.getUint8(at) !== 0xff) continue
    const next = view.getUint8(at + 1)
    const isData = next === 0 || next === 0xff || (next >= 0xd0 && next <= 0xd7)
    if (!isData) return at
  }
}

/** Baseline, extended and progressive frames; no renderer supports the arithmetic and lossless ones. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xc2
}

function isNeeded(marker: number, length: number): boolean {
  // Adobe's segment has a fixed length; a longer one could contain anything.
  return isFrame(marker) || tables.has(marker) || marker === START_OF_SCAN || (marker === ADOBE && length === 16)
}
