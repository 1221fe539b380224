import type { bulkTexts } from '../../texts/bulk.ts'
import type { FieldName } from '../../tables/link-columns.ts'
import type { LinkRow } from '../../tables/records.ts'
import { fillText } from '../../lib/fill-text.ts'

export type FaultTexts = (typeof bulkTexts)['en']['faults']

/** Why a row cannot become a link. */
export interface RowFault {
  /** The field to correct. */
  field: FieldName
  text: string
}

/** The error of a row, as the API returns it. */
export interface ApiError {
  code: string
  detail: string
  errors: { pointer: string; detail: string }[]
}

/** Says an error of the API in people's words, for the first invalid field. */
export function faultOf(error: ApiError, row: LinkRow, texts: FaultTexts): RowFault {
  const { code, detail, errors } = error
  if (code === 'alias_taken' || code === 'alias_reserved') return { field: 'alias', text: texts[code] }
  if (code === 'target_blocked') return { field: 'target', text: texts.target_blocked }
  if ((row.target ?? '') === '') return { field: 'target', text: texts.target_missing }
  const [, name = '', part = ''] = errors[0]?.pointer.split('/') ?? []
  switch (name) {
    case 'target':
    case 'alias':
    case 'title':
    case 'campaign':
      return { field: name, text: texts[name] }
    case 'utm':
      return { field: (part === '' ? 'utm_source' : part) as FieldName, text: texts.utm }
    default:
      return { field: 'target', text: fillText(texts.other, { detail }) }
  }
}
