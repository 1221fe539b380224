import type { CommandResult } from '../command.ts'
import { pluralize } from '../../lib/pluralize.ts'
import { toSingleLine } from '../table.ts'
import type { VisitsReport } from './link-visits.ts'

/** Refused links, and warnings, that the text names; `--json` has all. */
const MAX_NAMED = 20

/** What an import has done. */
export interface Report {
  /** Created now; with `--dry-run`, those that would be. */
  created: number
  /** Created by an earlier run. */
  present: number
  /** Clicks of both that are counted as a number. */
  clicks: number
  /** What became of visits, which an import may have beside the links. */
  visits?: VisitsReport
  refused: { place: string; code: string; reason: string }[]
  /** What is not kept as it was, and how the file was read; absent when there is nothing to say. */
  warnings?: string[]
}

/** The part of a report that says what is not kept as it was. */
export function withWarnings(warnings: string[]): Pick<Report, 'warnings'> {
  return warnings.length === 0 ? {} : { warnings }
}

/** What is to be said of a link whose result is this. */
export function warningsOf({ isTrimmed }: { isTrimmed?: true }, place: string, code: string): string[] {
  return isTrimmed ? [`${place}: ${code}: imported without the invisible characters around a URL`] : []
}

/** The report for people. @param keysFile of an import that was no dry run */
export function textOf(
  { created, present, clicks, visits, refused, warnings = [] }: Report,
  keysFile: string | undefined,
): Omit<CommandResult, 'status'> {
  const earlier = present === 0 ? '' : `, ${present} created by an earlier run`
  const what = keysFile === undefined ? 'can be created' : 'created'
  const counted = `${pluralize(created, 'link')} ${what}${earlier}; ${pluralize(clicks, 'click')}${scansOf(visits)}`
  const text = keysFile === undefined ? counted : `${counted}; the tokens are in ${keysFile}`
  const named = refused.map(({ place, code, reason }) => `${place}: ${code}: ${reason}`)
  const lines = [
    ...firstOf(warnings),
    ...(named.length === 0 ? [] : [`${pluralize(named.length, 'link')} not imported:`, ...firstOf(named)]),
    ...lossesOf(visits),
  ]
  return lines.length === 0 ? { text } : { text, warning: lines.map((line) => toSingleLine(line)).join('\n') }
}

function scansOf(visits: VisitsReport | undefined): string {
  return visits === undefined ? '' : ` as a number, ${pluralize(visits.scans, 'visit')} as scans`
}

function lossesOf({ read, lost }: VisitsReport = { read: 0, scans: 0, lost: [] }): string[] {
  if (lost.length === 0) return []
  const sum = lost.reduce((total, { visits }) => total + visits, 0)
  const lines = lost.map(({ visits, reason, example }) => {
    const such = example === undefined ? '' : `, such as ${example}`
    return `${pluralize(visits, 'visit')}: ${reason}${such}`
  })
  return [`${sum.toLocaleString('en')} of ${pluralize(read, 'visit')} not imported:`, ...lines]
}

function firstOf(lines: string[]): string[] {
  const more = lines.length > MAX_NAMED ? [`and ${lines.length - MAX_NAMED} more: --json lists all`] : []
  return [...lines.slice(0, MAX_NAMED), ...more]
}
