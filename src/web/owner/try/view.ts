import type { Link } from '../../../links/link.ts'
import type { Placement } from '../../../links/placements.ts'
import type { PrintedSize } from '../../../qr/printed-size.ts'
import type { Language } from '../../../texts/language.ts'
import type { OwnerAccess } from '../access.ts'
import type { Arrival } from './arrivals.ts'

/** What the page on which an owner tries a code shows. */
export interface TryView {
  link: Link
  access: OwnerAccess
  origin: string
  language: Language
  scripts: string[]
  /** The width of the code on paper, in millimetres. */
  width: number
  /** Whose code it is; undefined for that of no place. */
  placement: Placement | undefined
  /** Since when scans are awaited, in milliseconds since 1970. */
  since: number
  /** How often the owner has looked, by the button that is there without scripts. */
  looks: number
  /** Newest first; undefined while they cannot be read. */
  arrivals: Arrival[] | undefined
  /** Undefined while it is not known. */
  size: PrintedSize | undefined
  /** Which of the totals tells that a scan of the code may have arrived: where codes have no mark, each visit may be one. */
  counted: 'qr' | 'scans'
  /** What it is when the page is sent; undefined while it cannot be read. */
  count: number | undefined
}
