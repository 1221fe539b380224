import { joinBytes, viewOf } from '../../lib/bytes.ts'
import { LogoError } from './error.ts'

// Markers (ITU-T T.81, table B.1).
const END = 0xd9
const START_OF_SCAN = 0xda
const ADOBE = 0xee
/** Tables of codes and of quantisation, the number of lines, the interval of restarts. */
const tables = new Set([0xc4, 0xdb, 0xdc, 0xdd])

/**
 * Keeps the segments of a JPEG that make its picture, and of the applications' ones only Adobe's colours. What lies behind
 * its end is another file, such as the smaller pictures of a phone, with metadata of their own.
 * @throws {LogoError}
 * @throws {RangeError} when it is cut off
 */
export function readJpeg(file: Uint8Array): { picture: Uint8Array; width: number; height: number } {
  const view = viewOf(file)
  const parts = [file.subarray(0, 2)]
  let size: { width: number; height: number } | undefined
  let scans = 0
  for (let at = markerFrom(view, 2), end = at; ; at = markerFrom(view, end)) {
    const marker = view.getUint8(at + 1)
    if (marker === END) {
      if (scans === 0 || size === undefined) throw new LogoError('is a JPEG without a picture')
      return { picture: joinBytes([...parts, file.subarray(at, at + 2)]), ...size }
    }
    end = endOfSegment(view, at, marker)
    if (isFrame(marker)) size = { width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
    if (isNeeded(marker, end - at)) parts.push(file.subarray(at, end))
    if (marker !== START_OF_SCAN) continue
    if (size === undefined) throw new LogoError('is a JPEG without a size, or of a rare kind')
    scans++
  }
}

function endOfSegment(view: DataView, at: number, marker: number): number {
  // What has no length belongs into a scan, or at the start of a file.
  if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xd8)) throw new LogoError('is a JPEG that is damaged')
  const end = at + 2 + view.getUint16(at + 2)
  return marker === START_OF_SCAN ? endOfScan(view, end) : end
}

/** Where the next marker starts: any number of fill bytes may stand before it (B.1.1.2). */
function markerFrom(view: DataView, from: number): number {
  let at = from
  if (view.getUint8(at) !== 0xff) throw new LogoError('is a JPEG that is damaged')
  while (view.getUint8(at + 1) === 0xff) at++
  return at
}

/** Where the marker lies that ends a scan: in its data stand stuffed zeros and restarts (B.1.1.5). */
function endOfScan(view: DataView, from: number): number {
  for (let at = from; ; at++) {
    if (view.getUint8(at) !== 0xff) continue
    const next = view.getUint8(at + 1)
    const isData = next === 0 || next === 0xff || (next >= 0xd0 && next <= 0xd7)
    if (!isData) return at
  }
}

/** Frames: baseline, extended and progressive; not the arithmetic and lossless ones that nothing draws. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xc2
}

function isNeeded(marker: number, length: number): boolean {
  // Adobe's segment has one length; a longer one could carry anything.
  return isFrame(marker) || tables.has(marker) || marker === START_OF_SCAN || (marker === ADOBE && length === 16)
}
