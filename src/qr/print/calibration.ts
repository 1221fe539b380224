import type { ByLanguage, Language } from '../../texts/language.ts'
import { paperSizes, type Paper } from './labels.ts'

/** What is drawn in black onto a page. All lengths are in mm, from its upper left corner. */
export type PrintItem =
  | { kind: 'line'; x1: number; y1: number; x2: number; y2: number; width: number }
  /** `size` is that of the font; `x` is where its anchor is. */
  | { kind: 'text'; x: number; baseline: number; size: number; anchor: 'start' | 'middle' | 'end'; text: string }

/** Of both rulers, in mm. */
const LENGTH = 100
/** Of the crosses, from both edges beside each, in mm; and of the ends of their lines from the middle. */
const CROSS_AT = 20
const CROSS_ARM = 5
const THIN = 0.15
const THICK = 0.25
/** Of numbers, instructions and the title. */
const [SMALL, NORMAL, LARGE] = [3, 4, 6]
/** By how much digits lie higher than the middle of what stands beside them, as a part of their size. */
const HALF_DIGIT = 0.35

interface Texts {
  title: (paper: string) => string
  instructions: readonly string[]
  /** Of a cross: the edges that it is measured from. */
  from: (down: 'top' | 'bottom', across: 'left' | 'right', distance: number) => string
}

const paperNames: Readonly<Record<Paper, string>> = { a4: 'A4', letter: 'US Letter' }

const germanEdges = { top: 'oben', bottom: 'unten', left: 'links', right: 'rechts' } as const

const texts: ByLanguage<Texts> = {
  en: {
    title: (paper) => `Calibration page for ${paper}`,
    instructions: [
      'Print this page on plain paper at 100 %, without “fit to page”.',
      'Both rulers must be 100 mm long. If they are not, the printer scales.',
      'Each cross must be 20 mm from the two edges that are named beside it.',
      'If all are 1 mm too far right and 2 mm too low, the offset is -1, -2.',
    ],
    from: (down, across, distance) => `${down} ${distance} mm, ${across} ${distance} mm`,
  },
  de: {
    title: (paper) => `Kalibrierseite für ${paper}`,
    instructions: [
      'Mit 100 % und ohne „An Seite anpassen“ auf Normalpapier drucken.',
      'Beide Lineale müssen 100 mm lang sein. Sonst skaliert der Drucker.',
      'Jedes Kreuz muss 20 mm von den zwei genannten Kanten entfernt sein.',
      'Sind alle 1 mm zu weit rechts und 2 mm zu tief, ist der Versatz -1, -2.',
    ],
    from: (down, across, distance) => `${germanEdges[down]} ${distance} mm, ${germanEdges[across]} ${distance} mm`,
  },
}

/**
 * A page that shows whether a printer scales, and how far it moves its picture: a ruler of 100 mm in both directions, and
 * four crosses whose distances from the edges of the paper are written beside them.
 */
export function calibrationPage(paper: Paper, language: Language): PrintItem[] {
  const { width } = paperSizes[paper]
  const left = (width - LENGTH) / 2
  return [
    ...headingOf(paper, language),
    ...crossesOf(paper, language),
    ...rulerAcross(left, 100),
    ...rulerDown(left, 115),
  ]
}

function headingOf(paper: Paper, language: Language): PrintItem[] {
  const x = 30
  const { title, instructions } = texts[language]
  return [
    textAt(x, 44, LARGE, title(paperNames[paper])),
    ...instructions.map((line, at) => textAt(x, 55 + at * 1.5 * NORMAL, NORMAL, line)),
  ]
}

function crossesOf(paper: Paper, language: Language): PrintItem[] {
  const { width, height } = paperSizes[paper]
  return (['top', 'bottom'] as const).flatMap((down) =>
    (['left', 'right'] as const).flatMap((across): PrintItem[] => {
      const x = across === 'left' ? CROSS_AT : width - CROSS_AT
      const y = down === 'top' ? CROSS_AT : height - CROSS_AT
      const inwards = across === 'left' ? CROSS_ARM + 2 : -CROSS_ARM - 2
      const words = texts[language].from(down, across, CROSS_AT)
      return [
        lineFrom(x - CROSS_ARM, y, x + CROSS_ARM, y),
        lineFrom(x, y - CROSS_ARM, x, y + CROSS_ARM),
        textAt(x + inwards, y + HALF_DIGIT * SMALL, SMALL, words, across === 'left' ? 'start' : 'end'),
      ]
    }),
  )
}

/** Its ticks and numbers stand above the line, which starts at the given point. */
function rulerAcross(left: number, y: number): PrintItem[] {
  const ticks = ticksOf().map(({ at, length, width }) => lineFrom(left + at, y, left + at, y - length, width))
  const numbers = numbersOf().map((at) => textAt(left + at, y - 6, SMALL, `${at}`, 'middle'))
  return [lineFrom(left, y, left + LENGTH, y, THICK), ...ticks, ...numbers, unit(left + LENGTH + 6, y - 6)]
}

/** Its ticks and numbers stand left of the line, which starts at the given point. */
function rulerDown(x: number, top: number): PrintItem[] {
  const ticks = ticksOf().map(({ at, length, width }) => lineFrom(x, top + at, x - length, top + at, width))
  const middle = HALF_DIGIT * SMALL
  const numbers = numbersOf().map((at) => textAt(x - 6, top + at + middle, SMALL, `${at}`, 'end'))
  return [lineFrom(x, top, x, top + LENGTH, THICK), ...ticks, ...numbers, unit(x - 11, top + LENGTH + middle + 5)]
}

function unit(x: number, baseline: number): PrintItem {
  return textAt(x, baseline, SMALL, 'mm')
}

/** One for each mm, longer for each fifth and tenth. */
function ticksOf(): { at: number; length: number; width: number }[] {
  return Array.from({ length: LENGTH + 1 }, (_, at) => {
    if (at % 10 === 0) return { at, length: 5, width: THICK }
    return { at, length: at % 5 === 0 ? 3.5 : 2, width: THIN }
  })
}

function numbersOf(): number[] {
  return Array.from({ length: LENGTH / 10 + 1 }, (_, at) => at * 10)
}

function lineFrom(x1: number, y1: number, x2: number, y2: number, width = THIN): PrintItem {
  return { kind: 'line', x1, y1, x2, y2, width }
}

function textAt(
  x: number,
  baseline: number,
  size: number,
  text: string,
  anchor: 'start' | 'middle' | 'end' = 'start',
): PrintItem {
  return { kind: 'text', x, baseline, size, anchor, text }
}
