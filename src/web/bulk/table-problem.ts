import { fillText } from '../../lib/fill-text.ts'
import { columnLetters, type RecordFault } from '../../tables/records.ts'
import type { TableError } from '../../tables/table-error.ts'
import type { bulkTexts } from '../../texts/bulk.ts'

type Texts = (typeof bulkTexts)['en']
export type ProblemTexts = Texts['problems']

/** Says in people's words why a table cannot be read. */
export function tableProblem({ code, line }: TableError, texts: ProblemTexts): string {
  return fillText(texts[code], { line: line ?? '?' })
}

/** Says in people's words what keeps a row of a table from being used. */
export function recordProblem({ code, line, column, text = '' }: RecordFault, texts: Texts['faults']): string {
  return fillText(texts[code], { line, column: columnLetters(column), text })
}
