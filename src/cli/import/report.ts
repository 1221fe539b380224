import type { CommandResult } from '../command.ts'
import { pluralize } from '../../lib/pluralize.ts'
import { toSingleLine } from '../table.ts'

/** Refused links that the text names; `--json` has all. */
const MAX_NAMED = 20

/** What an import has done. */
export interface Report {
  /** Created now; with `--dry-run`, those that would be. */
  created: number
  /** Created by an earlier run. */
  present: number
  /** Clicks of both. */
  clicks: number
  refused: { place: string; code: string; reason: string }[]
  /** Codes of links around whose destination invisible characters were dropped; absent when there are none. */
  trimmed?: string[]
}

/** The report for people. @param keysFile of an import that was no dry run */
export function textOf(
  { created, present, clicks, refused, trimmed = [] }: Report,
  keysFile: string | undefined,
): Omit<CommandResult, 'status'> {
  const earlier = present === 0 ? '' : `, ${present} created by an earlier run`
  const what = keysFile === undefined ? 'can be created' : 'created'
  const counted = `${pluralize(created, 'link')} ${what}${earlier}; ${pluralize(clicks, 'click')}`
  const text = keysFile === undefined ? counted : `${counted}; the tokens are in ${keysFile}`
  const ends = trimmed.length === 0 ? [] : [`without invisible characters around the destination: ${list(trimmed)}`]
  const lines = [...ends, ...linesOf(refused)]
  return lines.length === 0 ? { text } : { text, warning: lines.map((line) => toSingleLine(line)).join('\n') }
}

function list(codes: string[]): string {
  const more = codes.length > MAX_NAMED ? ` and ${codes.length - MAX_NAMED} more: --json lists all` : ''
  return codes.slice(0, MAX_NAMED).join(', ') + more
}

function linesOf(refused: Report['refused']): string[] {
  if (refused.length === 0) return []
  const named = refused.slice(0, MAX_NAMED).map(({ place, code, reason }) => `${place}: ${code}: ${reason}`)
  const more = refused.length > MAX_NAMED ? [`and ${refused.length - MAX_NAMED} more: --json lists all`] : []
  return [`${pluralize(refused.length, 'link')} not imported:`, ...named, ...more]
}
