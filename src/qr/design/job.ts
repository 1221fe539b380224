import type { Level } from '../encoder/tables.ts'
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
}

/** A designed image to draw alone: this code was read back with this design when its link was created. */
export type CheckedJob = DesignJob & { isChecked: true }

/** Codes that are to have one design: each is drawn small, and read back. */
export interface CheckJob extends Pick<DesignJob, 'isSaved'> {
  /** Whether the answer has the logo as sheets show it. */
  wantsLogo?: boolean
  /** What the codes encode. */
  texts: string[]
  design: Design
  /** The pointer of the design in the request, for the errors. */
  at: string
}
