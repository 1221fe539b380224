import { join } from 'node:path'
import type { ImportedRows } from '../../links/import/operator.ts'
import { StartError } from '../../lib/start-error.ts'
import { newToken } from '../../lib/token.ts'
import { singleArgument } from '../arguments.ts'
import type { Command, CommandContext } from '../command.ts'
import { createProgress } from '../progress.ts'
import { formats, type ForeignLink } from './formats.ts'
import { openKeysFile, type KeysFile } from './keys-file.ts'
import { textOf, warningsOf, withWarnings, type Report } from './report.ts'
import { readExport } from './read-file.ts'

/** Links of one call. */
const CHUNK = 500

/** The exports of other services, and the bundle of a link of quirl. */
const services = [...Object.keys(formats), 'quirl']

export const importCommand: Command = {
  name: 'import',
  usage: '<file>',
  summary: 'create the links that another service has exported, under their codes, with the number of their clicks',
  options: {
    from: { type: 'string', doc: `the service that has written the file: ${services.join(', ')}` },
    keys: { type: 'string', doc: 'the file that gets the tokens of the links [<file>.keys.csv]' },
    'password-file': { type: 'string', doc: 'with --from=quirl: a file with the new password of a protected link' },
    'dry-run': { type: 'boolean', doc: 'only check which links can be created' },
    json: { type: 'boolean', doc: 'print the report as JSON' },
  },
  async run(context) {
    const { args, flags } = context
    const file = singleArgument(args, 'file')
    const from = String(flags['from'])
    if (!services.includes(from)) throw new StartError(`--from must be one of ${services.join(', ')}`)
    const isDryRun = flags['dry-run'] === true
    const keysFile = String(flags['keys'] ?? `${file}.keys.csv`)
    const openKeys = () => (isDryRun ? drawTokens : openKeysFile(keysFile, join(context.dataDir, 'import.lock')))
    const report = await importFile(context, file, { from, openKeys, isDryRun })
    const status = report.refused.length === 0 ? 0 : 2
    if (flags['json'] === true) return { text: JSON.stringify(report, undefined, 2), status }
    return { ...textOf(report, isDryRun ? undefined : keysFile), status }
  },
}

async function importFile(
  context: CommandContext,
  file: string,
  { from, openKeys, isDryRun }: { from: string; openKeys: () => KeysFile; isDryRun: boolean },
): Promise<Report> {
  const format = formats[from]
  if (format !== undefined) {
    const { links, notes } = await readExport(file, format)
    const report = await importAll(context, links, openKeys(), isDryRun)
    return { ...report, ...withWarnings([...notes, ...changesOf(links, report), ...(report.warnings ?? [])]) }
  }
  const { importBundle } = await import('./import-bundle.ts')
  const passwordFile = context.flags['password-file'] as string | undefined
  return importBundle(context, file, { openKeys, isDryRun, passwordFile })
}

/** What of the links that were taken is not kept as it was. */
function changesOf(links: ForeignLink[], { refused }: Report): string[] {
  const lost = new Set(refused.map(({ place, code }) => `${place} ${code}`))
  return links.flatMap(({ place, alias, changed }) =>
    changed === undefined || lost.has(`${place} ${alias}`) ? [] : [`${place}: ${alias}: ${changed}`],
  )
}

const drawTokens: KeysFile = { tokensOf: (codes) => codes.map(newToken), finish() {} }

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
  const warnings: string[] = []
  const done: { code: string; token: string; manageUrl: string }[] = []
  for (const chunk of chunksOf(taken)) {
    const tokens = keys.tokensOf(chunk.map(({ alias }) => alias))
    const rows = chunk.map((link, at) => ({ ...fieldsOf(link), token: tokens[at] }))
    const { results, origin } = (await call('import', { rows, dry_run: isDryRun })) as ImportedRows
    for (const [at, link] of chunk.entries()) {
      const result = results[at]
      if (result === undefined || 'error' in result) refuse(link, result?.error.detail ?? 'has no result')
      else {
        report[result.state === 'present' ? 'present' : 'created']++
        report.clicks += link.clicks
        warnings.push(...warningsOf(result, link.place, link.alias))
        done.push({ code: link.alias, token: tokens[at] ?? '', manageUrl: `${origin}/m/${tokens[at]}` })
      }
    }
  }
  keys.finish(done)
  const refused = links.flatMap((link) => {
    const reason = reasons.get(link)
    return reason === undefined ? [] : [{ place: link.place, code: link.alias, reason }]
  })
  return { ...report, refused, ...withWarnings(warnings) }
}

/** The links of one call each. Shows the progress, until an error as well. */
function* chunksOf(links: ForeignLink[]): Generator<ForeignLink[]> {
  const progress = createProgress()
  try {
    for (let from = 0; from < links.length; from += CHUNK) {
      progress.show(`${from} of ${links.length} links`)
      yield links.slice(from, from + CHUNK)
    }
  } finally {
    progress.end()
  }
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
