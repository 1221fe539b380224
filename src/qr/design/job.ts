import type { Level } from '../encoder/tables.ts'
import type { Step } from '../check/stress-test.ts'
import type { Poster } from './poster-pdf.ts'
import type { Paper } from './sheet-pdf.ts'
import type { Design } from './schema.ts'

export type DesignFormat = 'png' | 'svg' | 'pdf'

/** A designed image to draw and check. */
export interface DesignJob {
  text: string
  design: Design
  /** The pointer of the design in the request, for the errors. */
  at: string
  /**
   * Whether the design was saved for a link: it was accepted for another text, and not by this client, so that its logo is
   * scaled down, instead of refused, where error correction cannot restore this text.
   */
  isSaved?: boolean
  format: DesignFormat
  /** Pixels of width. */
  size: number
  /** Modules of quiet zone, instead of the design's. */
  margin?: number
  level?: Level
  boost?: boolean
  dpi?: number
  /** Millimetres of width, for PDF. */
  millimetres?: number
  /** A PDF is a sheet of this paper full of copies. */
  sheet?: Paper
  /** A PDF is a page to hang up. */
  poster?: Poster
}

/** How well an image scans. `poor` is light on dark, or of low contrast. */
export type Scannability = 'excellent' | 'good' | 'fair' | 'poor'

/** A report on how an image scans and prints. */
export interface Report {
  scannability: Scannability
  version: number
  modules: number
  level: Level
  /** The lowest contrast ratio in the image (WCAG 2), 1 to 21. */
  contrast_ratio: number
  inverted: boolean
  /** Modules of quiet zone; the standard requires 4. */
  quiet_zone: number
  /** Of the codewords that error correction can restore, the share that the logo covers. */
  logo_correction_used: number
  /** Whether the logo covers an alignment pattern, by which some decoders locate the modules around it. */
  logo_on_alignment: boolean
  print: {
    /** The smallest width to print, quiet zone included. */
    smallest_mm: number
    /** The distance from which a phone reads it at that width. */
    distance_mm: number
  }
  checks: Step[]
}

export interface DesignedImage {
  body: Uint8Array
  level: Level
  scannability: Scannability
  report: Report
}
