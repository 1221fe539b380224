import { join } from 'node:path'
import { StartError } from '../../lib/start-error.ts'
import { newToken } from '../../lib/token.ts'
import { singleArgument } from '../arguments.ts'
import type { Command, CommandContext } from '../command.ts'
import { formats, type ForeignLink } from './formats.ts'
import { openKeysFile, type KeysFile } from './keys-file.ts'
import { collectVisits, type Visits } from './link-visits.ts'
import { importLinks } from './import-links.ts'
import { textOf, withWarnings, type Report } from './report.ts'
import { readExport } from './read-file.ts'

/** The exports of other services, and the bundle of a link of quirl. */
const services = [...Object.keys(formats), 'quirl']

export const importCommand: Command = {
  name: 'import',
  usage: '<file>',
  summary: 'create the links that another service has exported, under their codes, with their clicks',
  options: {
    from: { type: 'string', doc: `the service that has written the file: ${services.join(', ')}` },
    keys: { type: 'string', doc: 'the file that gets the tokens of the links [<file>.keys.csv]' },
    visits: {
      type: 'string',
      doc: 'with --from=shlink: the JSON of its visits, or a folder with those of each code in <code>.json',
    },
    'password-file': { type: 'string', doc: 'with --from=quirl: a file with the new password of a protected link' },
    'dry-run': { type: 'boolean', doc: 'only check which links can be created' },
    json: { type: 'boolean', doc: 'print the report as JSON' },
  },
  async run(context) {
    const { args, flags } = context
    const file = singleArgument(args, 'file')
    const from = String(flags['from'])
    if (!services.includes(from)) throw new StartError(`--from must be one of ${services.join(', ')}`)
    if (flags['visits'] !== undefined && from !== 'shlink') throw new StartError('--visits needs --from=shlink')
    const isDryRun = flags['dry-run'] === true
    const keysFile = String(flags['keys'] ?? `${file}.keys.csv`)
    const openKeys = () => (isDryRun ? drawTokens : openKeysFile(keysFile, join(context.dataDir, 'import.lock')))
    const report = await importFile(context, file, { from, openKeys, isDryRun })
    const isWhole = report.refused.length === 0 && (report.visits?.lost ?? []).length === 0
    const status = isWhole ? 0 : 2
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
    const visits = await readVisitsOf(context, links)
    const report = await importLinks(context.call, links, { keys: openKeys(), isDryRun, visits })
    const warnings = [...notes, ...(visits?.notes ?? []), ...changesOf(links, report), ...(report.warnings ?? [])]
    return { ...report, ...withWarnings(warnings) }
  }
  const { importBundle } = await import('./import-bundle.ts')
  const passwordFile = context.flags['password-file'] as string | undefined
  return importBundle(context, file, { openKeys, isDryRun, passwordFile })
}

/** Reads the visits that the operator has given. */
async function readVisitsOf({ flags }: CommandContext, links: ForeignLink[]): Promise<Visits | undefined> {
  const path = flags['visits']
  return path === undefined ? undefined : collectVisits(String(path), links, Date.now())
}

/** What of the links that were taken is not kept as it was. */
function changesOf(links: ForeignLink[], { refused }: Report): string[] {
  const lost = new Set(refused.map(({ place, code }) => `${place} ${code}`))
  return links.flatMap(({ place, alias, changed }) =>
    changed === undefined || lost.has(`${place} ${alias}`) ? [] : [`${place}: ${alias}: ${changed}`],
  )
}

const drawTokens: KeysFile = { tokensOf: (codes) => codes.map(newToken), finish() {} }
