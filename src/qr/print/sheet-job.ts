import type { EncodedImage } from '../design/scene-pdf.ts'
import type { Design } from '../design/schema.ts'
import type { Language } from '../../texts/language.ts'
import type { LabelFormat, Paper } from './labels.ts'
import type { TemplateName, TypographyName } from './template.ts'

/** One code of a sheet. */
export interface SheetCode {
  /** What it encodes. */
  text: string
  /** Its design, by the index in the job; undefined for none. */
  design: number | undefined
  /** What is printed with it; empty for nothing. */
  caption: string
  /** What is printed below that; on labels nothing. */
  address: string
  /** Names it in errors. */
  name: string
}

/** A logo that was drawn. */
export interface DrawnLogo extends EncodedImage {
  /** Its width by its height, exactly: it places the logo as it did where the code was checked. */
  ratio: number
}

/** Some codes of a sheet, which are drawn before it: nearly all of its work. */
export interface SheetPartJob {
  part: SheetCode[]
  /** Those of these codes, by their index. */
  designs: ReadonlyMap<number, SheetDesign>
  onto: SheetLayout
  style: TypographyName
}

export interface SheetDesign {
  design: Design
  /** If it has one, as its check has drawn it. */
  logo: LogoShape | undefined
}

/** What places a drawn logo. */
export type LogoShape = Pick<DrawnLogo, 'width' | 'height' | 'ratio'>

/** Codes on sheets of labels, or each on a page of its own. */
export interface SheetJob {
  /** The codes as `drawPart` has drawn them, in their order. */
  parts: Uint8Array[]
  /** How many codes they are. */
  count: number
  /** The logos of the designs, by their index, as the checks have drawn them. */
  logos: (DrawnLogo | undefined)[]
  onto: SheetLayout
}

export type SheetLayout =
  | { kind: 'labels'; format: LabelFormat; start: number; offset: readonly [x: number, y: number] }
  | { kind: 'pages'; paper: TemplateName }

/** A page that shows how far a printer moves and scales what it prints. */
export interface CalibrationJob {
  onto: { kind: 'calibration'; paper: Paper; language: Language }
}
