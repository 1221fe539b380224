import type { ImportedRows } from '../../links/import/operator.ts'
import { StartError } from '../../lib/start-error.ts'
import { newToken } from '../../lib/token.ts'
import { singleArgument } from '../arguments.ts'
import type { Command, CommandContext, CommandResult } from '../command.ts'
import { createProgress } from '../progress.ts'
import { toSingleLine } from '../table.ts'
import { formats, type ForeignLink } from './formats.ts'
import { openKeysFile, type KeysFile } from './keys-file.ts'
import { readExport } from './read-file.ts'

/** Links of one call. */
const CHUNK = 500
/** Refused links that the text names; `--json` has all. */
const MAX_NAMED = 20

export const importCommand: Command = {
  name: 'import',
  usage: '<file>',
  summary: 'create the links that another service has exported, under their codes, with the number of their clicks',
  options: {
    from: { type: 'string', doc: `the service that has written the file: ${Object.keys(formats).join(', ')}` },
    keys: { type: 'string', doc: 'the file that gets the tokens of the links [<file>.keys.csv]' },
    'dry-run': { type: 'boolean', doc: 'only check which links can be created' },
    json: { type: 'boolean', doc: 'print the report as JSON' },
  },
  async run(context) {
    const { args, flags } = context
    const file = singleArgument(args, 'file')
    const format = formats[String(flags['from'])]
    if (format === undefined) throw new StartError(`--from must be one of ${Object.keys(formats).join(', ')}`)
    const links = readExport(file, format)
    const isDryRun = flags['dry-run'] === true
    const keysFile = String(flags['keys'] ?? `${file}.keys.csv`)
    const report = await importAll(context, links, isDryRun ? drawTokens : openKeysFile(keysFile), isDryRun)
    const status = report.refused.length === 0 ? 0 : 2
    if (flags['json'] === true) return { text: JSON.stringify(report, undefined, 2), status }
    return { ...textOf(report, isDryRun ? undefined : keysFile), status }
  },
}

const drawTokens: KeysFile = { tokensOf: (codes) => codes.map(newToken), finish() {} }

interface Report {
  /** Created now; with `--dry-run`, those that would be. */
  created: number
  /** Created by an earlier run. */
  present: number
  /** Clicks of both. */
  clicks: number
  refused: { place: string; code: string; reason: string }[]
}

async function importAll(
  { call }: CommandContext,
  links: ForeignLink[],
  keys: KeysFile,
  isDryRun: boolean,
): Promise<Report> {
  const report = { created: 0, present: 0, clicks: 0 }
  const reasons = new Map<ForeignLink, string>()
  const refuse = (link: ForeignLink, reason: string) => void reasons.set(link, reason)
  const taken = acceptable(links, refuse)
  const done: { code: string; token: string; manageUrl: string }[] = []
  const progress = createProgress()
  for (let from = 0; from < taken.length; from += CHUNK) {
    progress.show(`${from} of ${taken.length} links`)
    const chunk = taken.slice(from, from + CHUNK)
    const tokens = keys.tokensOf(chunk.map(({ alias }) => alias))
    const rows = chunk.map((link, at) => ({ ...fieldsOf(link), token: tokens[at] }))
    const { results, origin } = (await call('import', { rows, dry_run: isDryRun })) as ImportedRows
    for (const [at, link] of chunk.entries()) {
      const result = results[at]
      if (result === undefined || 'error' in result) refuse(link, result?.error.detail ?? 'has no result')
      else {
        report[result.state === 'present' ? 'present' : 'created']++
        report.clicks += link.clicks
        done.push({ code: link.alias, token: tokens[at] ?? '', manageUrl: `${origin}/m/${tokens[at]}` })
      }
    }
  }
  progress.end()
  keys.finish(done)
  const refused = links.flatMap((link) => {
    const reason = reasons.get(link)
    return reason === undefined ? [] : [{ place: link.place, code: link.alias, reason }]
  })
  return { ...report, refused }
}

function fieldsOf({ alias, target, title, created_at, clicks }: ForeignLink) {
  return { alias, target, title, created_at, clicks }
}

/** The links that can be sent: codes are the same in any case, and the first one has it. */
function acceptable(links: ForeignLink[], refuse: (link: ForeignLink, reason: string) => void): ForeignLink[] {
  const places = new Map<string, string>()
  return links.filter((link) => {
    const earlier = places.get(link.alias.toLowerCase())
    if (link.obstacle !== undefined) refuse(link, link.obstacle)
    else if (earlier !== undefined) refuse(link, `has the code of ${earlier}; case makes no difference here`)
    else {
      places.set(link.alias.toLowerCase(), link.place)
      return true
    }
    return false
  })
}

function textOf(
  { created, present, clicks, refused }: Report,
  keysFile: string | undefined,
): Omit<CommandResult, 'status'> {
  const earlier = present === 0 ? '' : `, ${present} were there from an earlier run`
  const what = keysFile === undefined ? 'can be created' : 'are created'
  const counted = `${created} links ${what}${earlier}; ${clicks} clicks`
  const text = keysFile === undefined ? counted : `${counted}; the tokens are in ${keysFile}`
  if (refused.length === 0) return { text }
  const named = refused.slice(0, MAX_NAMED).map(({ place, code, reason }) => `${place}: ${code}: ${reason}`)
  const more = refused.length > MAX_NAMED ? [`and ${refused.length - MAX_NAMED} more: --json lists all`] : []
  const lines = [`${refused.length} links are not imported:`, ...named, ...more]
  return { text, warning: lines.map((line) => toSingleLine(line)).join('\n') }
}
