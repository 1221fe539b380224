import type { CommandResult } from '../command.ts'
import { pluralize } from '../../lib/pluralize.ts'
import { toSingleLine } from '../table.ts'

/** Refused links, and warnings, that the text names; `--json` has all. */
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
  /** What is not kept as it was, and how the file was read; absent when there is nothing to say. */
  warnings?: string[]
  /** Codes of links around whose destination invisible characters were dropped; absent when there are none. */
  trimmed?: string[]
}

/** The report for people. @param keysFile of an import that was no dry run */
export function textOf(
  { created, present, clicks, refused, warnings = [], trimmed = [] }: Report,
  keysFile: string | undefined,
): Omit<CommandResult, 'status'> {
  const earlier = present === 0 ? '' : `, ${present} created by an earlier run`
  const what = keysFile === undefined ? 'can be created' : 'created'
  const counted = `${pluralize(created, 'link')} ${what}${earlier}; ${pluralize(clicks, 'click')}`
  const text = keysFile === undefined ? counted : `${counted}; the tokens are in ${keysFile}`
  const named = refused.map(({ place, code, reason }) => `${place}: ${code}: ${reason}`)
  const lines = [
    ...firstOf(warnings),
    ...titled('Without invisible characters around the destination:', trimmed),
    ...titled(`${pluralize(named.length, 'link')} not imported:`, named),
  ]
  return lines.length === 0 ? { text } : { text, warning: lines.map((line) => toSingleLine(line)).join('\n') }
}

function titled(title: string, lines: string[]): string[] {
  return lines.length === 0 ? [] : [title, ...firstOf(lines)]
}

function firstOf(lines: string[]): string[] {
  const more = lines.length > MAX_NAMED ? [`and ${lines.length - MAX_NAMED} more: --json lists all`] : []
  return [...lines.slice(0, MAX_NAMED), ...more]
}
