import { safeAreaOf } from './sheet.ts'
import type { LabelFormat } from './labels.ts'
import type { Template } from './template.ts'

/** From this ratio of its sides on, a label has its text beside the code. */
const WIDE = 1.35
/** The smallest text of a label: 5.5 points. */
const SMALLEST = 1.94
/** “Room 12” is read as a whole: it may be so much smaller before it is broken. */
const WHOLE_FROM = 0.7

/** The safe area of a label as a page: the code with one text, or as large as fits without. */
export function labelTemplate(format: LabelFormat, hasText: boolean): Template {
  const { width, height } = safeAreaOf(format)
  const isWide = width >= WIDE * height
  const side = Math.min(width, height)
  // Beside the code, a text needs some width; below it, a line or two.
  const largest = !hasText ? side : isWide ? Math.min(height, width * 0.55) : Math.min(width, height * 0.86)
  const text = [Math.max(SMALLEST, Math.min(6, (isWide ? height : width) * 0.2)), SMALLEST] as const
  return {
    width,
    height,
    shape: 'rectangle',
    isCut: false,
    edge: 0,
    arrangement: hasText && isWide ? 'row' : 'stack',
    code: [largest, hasText && !isWide ? Math.min(largest, height * 0.6) : largest],
    gap: Math.max(0.6, Math.min(3, side * 0.05)),
    title: text,
    text,
    address: text,
    folds: [],
    wholeFrom: WHOLE_FROM,
  }
}
