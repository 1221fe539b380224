import type { Report, Scannability } from '../check/report.ts'
import { Problem, REASON, type FieldError, type ProblemCode, type Reason } from '../../http/problem.ts'
import type { CheckedJob, CheckJob, DesignJob } from '../design/job.ts'
import type { Level } from '../encoder/tables.ts'
import type { CalibrationJob, DrawnLogo, SheetJob, SheetPartJob } from '../print/sheet-job.ts'
import type { DrawnPage, PageJob } from '../print/poster.ts'
import type { PictureJob } from '../picture/picture.ts'
import type { PlainImage, PlainJob } from '../plain.ts'

/** What a thread draws. */
export type RenderJob =
  | DesignJob
  | CheckedJob
  | PageJob
  | SheetPartJob
  | SheetJob
  | CalibrationJob
  | CheckJob
  | PlainJob
  | PictureJob

export interface DesignedImage {
  body: Uint8Array
  level: Level
  scannability: Scannability
  report: Report
  /** Of a page to print. */
  page?: Omit<DrawnPage, 'body'>
}

/** A picture, or sheets: they have no further fields. */
export interface PictureImage {
  body: Uint8Array
}

/** A refusal, as threads return it. */
export interface Refusal {
  code: ProblemCode
  detail: string
  errors: FieldError[]
  /** Those of the errors, which lose theirs on the way. */
  reasons: (Reason | undefined)[]
}

export function toRefusal({ code, message: detail, errors }: Problem): Refusal {
  return { code, detail, errors, reasons: errors.map((error) => error[REASON]) }
}

/** The problem that a thread has returned. */
export function fromRefusal({ code, detail, errors, reasons }: Refusal): Problem {
  return new Problem(code, detail, {
    errors: errors.map((error, at) => {
      const reason = reasons[at]
      return reason === undefined ? error : { ...error, [REASON]: reason }
    }),
  })
}

export interface CodeFaults {
  /** Of each code of a check, in their order: why it cannot be scanned; undefined when it can. */
  faults: (Refusal | undefined)[]
  /** If the check was to draw it, and there is one. */
  logo?: DrawnLogo
}

/** A part of a sheet. */
export interface PartImage extends PictureImage {
  /** Of each code: why it cannot be printed; undefined when it can. */
  faults: (Refusal | undefined)[]
}

export type DrawnImage = DesignedImage | PlainImage | PartImage | PictureImage
