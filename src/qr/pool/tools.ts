import { readFileSync } from 'node:fs'
import { crc32, inflateSync } from 'node:zlib'
import { openDecoder, type Decoder } from '../check/decoder.ts'
import { readFont } from '../design/font.ts'
import { createReadOnce, readLogo, type Zlib } from '../logo/logo.ts'
import type { Supplies } from '../design/style.ts'
import { fontFile } from '../font-file.ts'
import { createEncodeText, type EncodeText } from '../matrix.ts'
import { openPrintFonts, type PrintFonts } from '../print/fonts.ts'
import { openRasterizer, type Rasterizer } from './raster.ts'

/** Everything needed to draw and check a design. */
export interface Tools extends Supplies {
  encode: EncodeText
  rasterizer: Rasterizer
  reads: Decoder
  /** Loads the fonts of printed pages when they are first needed: what reads them takes 20 MB. */
  printFonts: () => Promise<PrintFonts>
}

/**
 * Loads everything from the installed packages, once per thread.
 * @param rendererBytes the memory that the renderer may have, if not as much as usual
 */
export async function openTools(rendererBytes?: number): Promise<Tools> {
  const [rasterizer, reads] = await Promise.all([openRasterizer(rendererBytes), openDecoder()])
  let fonts: Promise<PrintFonts> | undefined
  const printFonts = () => (fonts ??= openPrintFonts())
  return { encode: createEncodeText(), ...openSupplies(), rasterizer, reads, printFonts }
}

/** The font, and a reader of logos that validates their pixels. */
export function openSupplies(): Supplies {
  const font = readFont(readFileSync(fontFile, 'utf8'))
  return { font, readLogo: createReadOnce((dataUri) => readLogo(dataUri, zlib)) }
}

const zlib: Zlib = {
  crc32,
  unpackedLength(compressed, max) {
    try {
      return inflateSync(compressed, { maxOutputLength: max }).length
    } catch {
      return undefined
    }
  },
}
