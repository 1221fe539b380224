import type { OperatorOperations } from '../../operator/socket.ts'
import { invalidRequest, Problem } from '../../http/problem.ts'
import type { Links } from '../../links/open.ts'
import { exportedTables, type TableName } from '../statistics/export.ts'
import type { AddPart, Taken } from './part.ts'
import { CLOCK_SKEW_MS, readRecords, type TableRows } from './records.ts'

/** Rows of one call: the body of a call may have 10,000 values. */
export const MAX_PART_ROWS = 500
/** More than any table has; a number that every store takes. */
const MAX_POSITION = 1e12

/** What the operation needs of the rest of the program. */
export interface PartNeeds {
  links: Pick<Links, 'findByToken'>
  scans: { addPart: AddPart }
  now: () => number
}

/**
 * The operation that adds a part of the tables of a bundle to the link of a token. Parts follow each other by position:
 * one that was added already adds nothing, so that a call can be repeated.
 */
export function partOperations({ links, scans, now }: PartNeeds): OperatorOperations {
  return {
    async import_part(input): Promise<Taken> {
      const part = readPart(input, now())
      const { id: linkId } = await links.findByToken(String(input['token']))
      const taken = await scans.addPart({ ...part, linkId })
      if (taken === undefined) throw new Problem('unknown_token', 'the link was deleted')
      return taken
    },
  }
}

/** @throws {Problem} 400 for what is no part */
function readPart(input: Record<string, unknown>, now: number) {
  const { bundle, position, table, records, last_scan_at: last } = input
  const lastAt = last === null ? 0 : typeof last === 'string' ? Date.parse(last) : Number.NaN
  const faults = {
    '/bundle': !isDigest(bundle) && 'must be a SHA-256',
    '/position': !isPosition(position) && 'must be a number of rows',
    '/table': !(typeof table === 'string' && Object.hasOwn(exportedTables, table)) && 'must be a table of a bundle',
    '/records': !isRecords(records) && `must be a list of at most ${MAX_PART_ROWS} lists of texts`,
    '/last_scan_at': !(lastAt >= 0 && lastAt <= now + CLOCK_SKEW_MS) && 'must be a time from 1970 until now',
  }
  const errors = Object.entries(faults).flatMap(([pointer, detail]) => (detail === false ? [] : [{ pointer, detail }]))
  if (errors.length > 0) throw invalidRequest(errors)
  const rows = rowsOf(table as TableName, records as string[][], now)
  return { ...rows, bundle: bundle as string, position: position as number, count: rows.rows.length, lastAt }
}

function rowsOf(table: TableName, records: string[][], now: number): TableRows {
  try {
    return readRecords(table, records, now)
  } catch (error) {
    throw invalidRequest([{ pointer: '/records', detail: (error as Error).message }])
  }
}

export function isDigest(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
}

export function isPosition(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MAX_POSITION
}

function isRecords(value: unknown): boolean {
  const isRecord = (record: unknown) => Array.isArray(record) && record.every((cell) => typeof cell === 'string')
  return Array.isArray(value) && value.length <= MAX_PART_ROWS && value.every(isRecord)
}
