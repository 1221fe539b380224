import type { Report, Scannability } from '../check/report.ts'
import type { DesignJob } from '../design/job.ts'
import type { Level } from '../encoder/tables.ts'
import type { PictureJob } from '../picture/picture.ts'
import type { PlainImage, PlainJob } from '../plain.ts'

/** What a thread draws. */
export type RenderJob = DesignJob | PlainJob | PictureJob

export interface DesignedImage {
  body: Uint8Array
  level: Level
  scannability: Scannability
  report: Report
}

/** A picture has no further fields. */
export interface PictureImage {
  body: Uint8Array
}

export type DrawnImage = DesignedImage | PlainImage | PictureImage

/** Drawing more pixels of width takes some 400 MB, which a thread releases when it ends: one such job at a time. */
const LARGE = 2048

export function isLarge(job: RenderJob): boolean {
  return 'design' in job && job.format === 'png' && job.size > LARGE
}
