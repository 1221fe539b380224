import type { Level } from '../encoder/tables.ts'
import type { Step } from '../check/ladder.ts'
import type { Design } from './schema.ts'

export type DesignFormat = 'png' | 'svg' | 'pdf'

/** An image that is to be designed, drawn and checked. */
export interface DesignJob {
  text: string
  design: Design
  /** The pointer of the design in the request, for the errors. */
  at: string
  /**
   * Whether the design was accepted for another text, by somebody else than who asks: its logo then shrinks to what error
   * correction can restore of this one.
   */
  isSaved?: boolean
  format: DesignFormat
  /** Pixels of width. */
  size: number
  /** Modules of quiet zone, when not the design's. */
  margin?: number
  level?: Level
  boost?: boolean
  dpi?: number
  /** Millimetres of width, for PDF. */
  millimetres?: number
}

/** How sure a scan is. `poor` is light on dark, or colours that are hard to tell apart. */
export type Scannability = 'excellent' | 'good' | 'fair' | 'poor'

/** What is known of an image's use in print and before cameras. */
export interface Report {
  scannability: Scannability
  version: number
  modules: number
  level: Level
  /** The contrast ratio (WCAG 2) where it is weakest, 1 to 21. */
  contrast_ratio: number
  inverted: boolean
  /** Modules of quiet zone; the standard asks for 4. */
  quiet_zone: number
  /** Of the codewords that error correction can restore, the share that the logo covers. */
  logo_correction_used: number
  /** Whether the logo lies on an alignment pattern, by which some decoders place the modules around. */
  logo_on_alignment: boolean
  print: {
    /** The least width that the symbol should be printed at, quiet zone included. */
    smallest_mm: number
    /** From how far away a phone reads it at that width. */
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
