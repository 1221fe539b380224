import { invalidRequest, MAX_ERRORS, type FieldError } from '../http/problem.ts'
import type { Placement } from '../links/placements.ts'
import { readLabels, type Paper } from '../qr/print/labels.ts'
import { printedText } from '../qr/print/query.ts'
import { readSheet } from '../qr/print/sheet.ts'
import type { SheetLayout } from '../qr/print/sheet-job.ts'
import { templates } from '../qr/print/template.ts'
import { ownValue } from '../lib/own-value.ts'
import type { PrintRow } from './rows.ts'
import type { PrintBody } from './schemas.ts'

/** A code that is to be printed: that of a link, or of a place where it hangs. */
export interface PrintCode extends PrintRow {
  placement: Placement | undefined
}

/** The codes of links: for a link with placements one for each, when they are asked for. @throws {Problem} 400 for foreign links */
export function codesOf(rows: PrintRow[], { placements = false, text }: PrintBody): PrintCode[] {
  const isOwners = placements || text === 'title' || text === 'campaign' || text === 'placement'
  const foreign = isOwners ? rows.filter(({ isOwned }) => !isOwned) : []
  if (foreign.length > 0) throw invalidRequest(foreign.slice(0, MAX_ERRORS).map(toForeign))
  return rows.flatMap((row): PrintCode[] =>
    placements && row.link.placements.length > 0
      ? row.link.placements.map((placement) => ({ ...row, placement }))
      : [{ ...row, placement: undefined }],
  )
}

function toForeign({ pointer }: PrintRow): FieldError {
  return { pointer, detail: 'must be the token of the link, whose title, campaign and placements only its owner reads' }
}

/** What stands beside a code; its link's code where it has nothing better. */
export function captionOf({ link, placement }: PrintCode, text: PrintBody['text'] = 'alias'): string {
  if (text === 'none') return ''
  if (typeof text === 'object') return printedText(text.own)
  const place = placement?.name?.trim() || placement?.id
  const written = { title: link.title, alias: link.code, campaign: link.campaign, placement: place }[text]
  return printedText(written ?? undefined) || link.code
}

/** What codes are printed onto. @throws {Problem} 400 for an unknown format or paper, or measures out of bounds */
export function layoutOf({ labels, paper, start, offset }: PrintBody): SheetLayout {
  if (labels === undefined) {
    if (paper !== undefined && ownValue(templates, paper) !== undefined)
      return { kind: 'pages', paper: paper as keyof typeof templates }
    throw invalidRequest([{ pointer: '/paper', detail: `must be one of ${Object.keys(templates).join(', ')}` }])
  }
  if (paper !== undefined && paper !== 'a4' && paper !== 'letter')
    throw invalidRequest([{ pointer: '/paper', detail: 'must be a4 or letter with "labels"' }])
  const format = readLabels(labels, paper satisfies Paper | undefined)
  if ('pointer' in format) throw invalidRequest([format])
  const [x = 0, y = 0] = offset ?? []
  const sheet = readSheet(format, start, [x, y])
  if ('pointer' in sheet) throw invalidRequest([sheet])
  return { kind: 'labels', ...sheet }
}
