import { fillText } from '../../lib/fill-text.ts'
import { poorContrast } from '../../qr/design/style.ts'
import type { Design } from '../../qr/design/schema.ts'
import { locales, type Language } from '../../texts/language.ts'
import { previewTexts } from '../../texts/preview.ts'

/** Why a design scans poorly, in the words of the preview; undefined for one that does not. */
export function poorVerdict(design: Design | undefined, language: Language): string | undefined {
  const worst = design && poorContrast(design)
  if (worst === undefined) return undefined
  const texts = previewTexts[language]
  const ratio = (Math.round(worst.ratio * 100) / 100).toLocaleString(locales[language])
  return `${worst.inverted ? texts.inverted : texts.poor} ${fillText(texts.contrast, { ratio })}`
}
