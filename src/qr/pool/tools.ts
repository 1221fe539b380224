import { readFileSync } from 'node:fs'
import { openReader, type Reader } from '../check/reader.ts'
import { readFont, type Font } from '../design/font.ts'
import { createEncodeText, type EncodeText } from '../matrix.ts'
import { openRasterizer, type Rasterizer } from './raster.ts'

/** What drawing a design takes. */
export interface Tools {
  encode: EncodeText
  font: Font
  rasterizer: Rasterizer
  reads: Reader
}

/** Loads everything from the installed packages; once in a thread. */
export async function openTools(): Promise<Tools> {
  const font = new URL(import.meta.resolve('roboto-fontface/fonts/roboto/Roboto-Bold.woff'))
  const [rasterizer, reads] = await Promise.all([openRasterizer(), openReader()])
  return { encode: createEncodeText(), font: readFont(readFileSync(font)), rasterizer, reads }
}
