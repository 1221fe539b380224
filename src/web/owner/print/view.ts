import type { FieldError } from '../../../http/problem.ts'
import type { Link } from '../../../links/link.ts'
import type { CheckedImage } from '../../../qr/images.ts'
import type { Problem } from '../../../http/problem.ts'
import type { DrawnPage } from '../../../qr/print/poster.ts'
import type { Language } from '../../../texts/language.ts'
import type { OwnerAccess } from '../access.ts'
import type { PrintFields } from './query.ts'

/** A drawn page; `svg` is what the preview shows. */
export interface Sheet extends Omit<DrawnPage, 'body'>, Pick<CheckedImage, 'report'> {
  svg: string
}

/** The data of the page on which an owner prints a code. */
export interface PrintView {
  link: Link
  access: OwnerAccess
  language: Language
  origin: string
  fields: PrintFields
  /** What is wrong with the texts. */
  errors: FieldError[]
  /** Why the page cannot be drawn. */
  problem: Problem | undefined
  /** What is drawn; undefined where it cannot be. */
  sheet: Sheet | undefined
  /** How large the code has to be, where that is known. */
  sizes: Pick<Sheet, 'code' | 'report'> | undefined
  /** Whether the design of the code has a logo. */
  hasLogo: boolean
  scripts: string[]
}
