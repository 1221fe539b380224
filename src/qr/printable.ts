import { readFileSync } from 'node:fs'
import { readFont, type Font } from './design/font.ts'
import { fontFile } from './font-file.ts'
import { drawable } from './picture/fit.ts'

/** Returns a function that leaves out of a text what the font cannot write. The font is read when it is first needed. */
export function createPrintable(): (text: string) => string {
  let font: Font | undefined
  return (text) => drawable((font ??= readFont(readFileSync(fontFile, 'utf8'))), text)
}
