import type { bulkTexts } from '../../texts/bulk.ts'
import { fillText } from '../../lib/fill-text.ts'

export type ProblemTexts = (typeof bulkTexts)['en']['problems']

/** Says an error of the CSV parser in people's words. */
export function csvProblem({ code, message }: { code: string; message: string }, texts: ProblemTexts): string {
  if (code === 'CSV_MAX_RECORD_SIZE') return texts.longRow
  if (code === 'CSV_QUOTE_NOT_CLOSED') return fillText(texts.openQuote, { line: message.split(' ').at(-1) ?? '?' })
  return texts.unreadable
}
