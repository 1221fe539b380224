import type { FontName } from './fonts.ts'

/** The largest and the smallest size of a text, in millimetres: that of a capital is 0.71 of it. */
export type Sizes = readonly [largest: number, smallest: number]

/** A page with one code: its measures in millimetres, after the cut. */
export interface Template {
  width: number
  height: number
  shape: 'rectangle' | 'circle'
  /** Whether it is cut out of a larger page, with marks for the cut and what bleeds over it. */
  isCut: boolean
  /** What stays empty inside the edge: printers' hands and office printers' rollers need it. */
  edge: number
  /** Whether texts stand above and below the code, or beside it. */
  arrangement: 'stack' | 'row'
  /** The side of the square that holds the code: the smaller, the more room texts need. */
  code: Sizes
  /** Between the code and the texts. */
  gap: number
  title: Sizes
  text: Sizes
  address: Sizes
  /** From the upper edge to where the paper is folded. */
  folds: readonly number[]
  /** The share of its size in several lines from which on a text stands in one line; without it, as large as it can be. */
  wholeFrom?: number
}

const sheet = { shape: 'rectangle', isCut: false, arrangement: 'stack', folds: [] } as const
const cut = { shape: 'rectangle', isCut: true, folds: [] } as const

/**
 * What a link can be printed on. A-sizes are those of ISO 216, Letter is ANSI/ASME Y14.1, a business card ISO 7810 ID-1 rounded as printers'
 * shops offer it. The smallest sizes are 5 to 8 points, which the nearsighted read from where each hangs or lies.
 */
export const templates = {
  a4: {
    ...sheet,
    width: 210,
    height: 297,
    edge: 20,
    code: [130, 100],
    gap: 8,
    title: [30, 8],
    text: [11, 5],
    address: [9, 5],
  },
  letter: {
    ...sheet,
    width: 215.9,
    height: 279.4,
    edge: 20,
    code: [125, 95],
    gap: 8,
    title: [30, 8],
    text: [11, 5],
    address: [9, 5],
  },
  a5: {
    ...sheet,
    width: 148,
    height: 210,
    edge: 14,
    code: [92, 70],
    gap: 6,
    title: [21, 5.6],
    text: [8, 3.6],
    address: [6.5, 3.6],
  },
  a6: {
    ...sheet,
    width: 105,
    height: 148,
    edge: 10,
    code: [64, 48],
    gap: 4.5,
    title: [15, 4],
    text: [5.6, 2.8],
    address: [4.6, 2.6],
  },
  /** A4 upright; two flaps are glued onto each other below two faces, of which one stands on its head. */
  'tent-a4': {
    ...sheet,
    width: 210,
    height: 297,
    arrangement: 'row',
    edge: 10,
    code: [80, 80],
    gap: 10,
    title: [18, 5],
    text: [8, 3.6],
    address: [5.6, 2.8],
    folds: [45, 148.5, 252],
  },
  'card-85x55': {
    ...cut,
    width: 85,
    height: 55,
    arrangement: 'row',
    edge: 5,
    code: [38, 38],
    gap: 4,
    title: [6, 2.8],
    text: [3.4, 2.3],
    address: [2.9, 2],
  },
  'sticker-50': {
    ...cut,
    width: 50,
    height: 50,
    arrangement: 'stack',
    edge: 3,
    code: [32, 26],
    gap: 1.6,
    title: [4.6, 2.4],
    text: [2.8, 2.1],
    address: [2.5, 1.9],
  },
  'sticker-50-round': {
    ...cut,
    shape: 'circle',
    width: 50,
    height: 50,
    arrangement: 'stack',
    edge: 2.5,
    code: [25, 20],
    gap: 1.4,
    title: [3.6, 2.2],
    text: [2.4, 1.8],
    address: [2.2, 1.8],
  },
  'shelf-80x40': {
    ...cut,
    width: 80,
    height: 40,
    arrangement: 'row',
    edge: 3,
    code: [32, 32],
    gap: 3.5,
    title: [6.4, 2.6],
    text: [3.6, 2.2],
    address: [2.7, 1.9],
  },
} as const satisfies Record<string, Template>

export type TemplateName = keyof typeof templates

/** What bleeds over a cut, and the length of the marks beyond it, in millimetres. */
export const BLEED = 3
export const MARK = 5

/** How the texts of a page look. */
export interface Typography {
  headline: FontName
  text: FontName
  /** Between headline and code: nothing, a thin line, or the headline in white on a black band. */
  ornament: 'none' | 'line' | 'band'
}

export const typographies = {
  plain: { headline: 'Roboto-Bold', text: 'Roboto-Regular', ornament: 'none' },
  classic: { headline: 'Roboto-Slab-Bold', text: 'Roboto-Slab-Regular', ornament: 'line' },
  loud: { headline: 'Roboto-Condensed-Bold', text: 'Roboto-Condensed-Regular', ornament: 'band' },
} as const satisfies Record<string, Typography>

export type TypographyName = keyof typeof typographies
