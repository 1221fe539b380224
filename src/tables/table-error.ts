/** What is wrong with a table, for readers that say it in other words. */
export type TableFault = 'encoding' | 'office_file' | 'long_row' | 'open_quote' | 'unreadable' | 'workbook'

/** A table that cannot be read. Its message follows the name of the file. */
export class TableError extends Error {
  override readonly name = 'TableError'
  readonly code: TableFault
  /** The line of the fault, where one has it. */
  readonly line: number | undefined

  constructor(code: TableFault, message: string, { line, cause }: { line?: number; cause?: unknown } = {}) {
    super(message, { cause })
    this.code = code
    this.line = line
  }
}

/** Whether it is one, from another bundle of the browser's scripts too. */
export function isTableError(error: unknown): error is TableError {
  return error instanceof Error && error.name === 'TableError'
}
