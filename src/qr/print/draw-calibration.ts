import type { Language } from '../../texts/language.ts'
import { decimal } from '../design/path.ts'
import { calibrationPage, type PrintItem } from './calibration.ts'
import { lineOf } from './embedded-fonts.ts'
import { fontNames, type PrintFont, type PrintFonts } from './fonts.ts'
import { paperSizes, type Paper } from './labels.ts'
import { createPagesFile, endPages, pageOf, type PagesFile } from './page-pdf.ts'

/** A page as a PDF that shows how far a printer moves and scales what it prints. */
export function drawCalibration({ paper, language }: { paper: Paper; language: Language }, fontOf: PrintFonts): Buffer {
  const file = createPagesFile(fontOf)
  const font = fontOf(fontNames[1])
  const content = calibrationPage(paper, language).map((item) => drawItem(file, item, font))
  const size = paperSizes[paper]
  const page = { ...pageOf(size, ['0 G', ...content].join('\n')), resources: '' }
  return endPages(file, [page], { title: 'Calibration' })
}

function drawItem({ fonts }: PagesFile, item: PrintItem, font: PrintFont): string {
  if (item.kind === 'line') {
    const [width, x1, y1, x2, y2] = [item.width, item.x1, item.y1, item.x2, item.y2].map(decimal)
    return `${width} w ${x1} ${y1} m ${x2} ${y2} l S`
  }
  const width = font.width(item.text) * item.size
  const x = item.x - { start: 0, middle: width / 2, end: width }[item.anchor]
  return fonts.show(font, lineOf(font, item.text), { ...item, x })
}
