import type { OperatorOperations } from '../../operator/socket.ts'
import { invalidRequest } from '../../http/problem.ts'
import { MAX_IMPORT_ROWS, type ImportOptions, type ImportResult } from './import.ts'

/** The result of `import`: one for each row, in their order. */
export interface ImportedRows {
  results: ImportResult[]
  /** The origin of short URLs and of the owners' pages. */
  origin: string
}

/** What the operation needs of the rest of the program. */
export interface ImportNeeds {
  importLinks: (rows: unknown[], options: ImportOptions) => Promise<ImportResult[]>
  origin: () => string
}

/** The operation of `quirl import`. */
export function importOperations({ importLinks, origin }: ImportNeeds): OperatorOperations {
  return {
    async import({ rows, dry_run: dryRun = false }): Promise<ImportedRows> {
      const isList = Array.isArray(rows) && rows.length <= MAX_IMPORT_ROWS
      if (!isList)
        throw invalidRequest([{ pointer: '/rows', detail: `must be a list of at most ${MAX_IMPORT_ROWS} links` }])
      return {
        results: await importLinks(rows as unknown[], { dryRun: dryRun === true, origin: origin() }),
        origin: origin(),
      }
    },
  }
}
