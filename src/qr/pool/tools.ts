import { readFileSync } from 'node:fs'
import { crc32, inflateSync } from 'node:zlib'
import { openDecoder, type Decoder } from '../check/decoder.ts'
import { readFont } from '../design/font.ts'
import { createReadOnce, readLogo, type Zlib } from '../logo/logo.ts'
import type { Supplies } from '../design/style.ts'
import { fontFile } from '../font-file.ts'
import { createEncodeText, type EncodeText } from '../matrix.ts'
import { openRasterizer, type Rasterizer } from './raster.ts'

/** What drawing a design takes. */
export interface Tools extends Supplies {
  encode: EncodeText
  rasterizer: Rasterizer
  reads: Decoder
}

/** Loads everything from the installed packages; once in a thread. */
export async function openTools(): Promise<Tools> {
  const [rasterizer, reads] = await Promise.all([openRasterizer(), openDecoder()])
  return { encode: createEncodeText(), ...openSupplies(), rasterizer, reads }
}

/** The font, and the reader of logos that proves them whole. */
export function openSupplies(): Supplies {
  const font = readFont(readFileSync(fontFile, 'utf8'))
  return { font, readLogo: createReadOnce((dataUri) => readLogo(dataUri, zlib)) }
}

const zlib: Zlib = {
  crc32,
  unpackedLength(packed, most) {
    try {
      return inflateSync(packed, { maxOutputLength: most }).length
    } catch {
      return undefined
    }
  },
}
