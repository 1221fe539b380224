import { withoutSecret, type SetSetting, type SetSettings } from '../config/sources.ts'
import { StartError } from '../lib/start-error.ts'
import type { Command, CommandResult } from './command.ts'
import { formatTable, toSingleLine } from './table.ts'

/** What the settings choose, by what it is for. */
interface Chosen {
  links: string
  limits: string
  https: string
}

export const config: Command = {
  name: 'config',
  usage: 'check',
  summary:
    'show what the settings choose, the value of each and where it comes from; exits with 1 when one is not allowed',
  acceptsFaults: true,
  options: { json: { type: 'boolean', doc: 'print all details as JSON' } },
  run: async ({ args, flags, set }) => {
    if (args.length !== 1 || args[0] !== 'check') throw new StartError('the only operation is "quirl config check"')
    return flags['json'] === true ? asJson(set) : asText(set)
  },
}

function asJson({ settings, unknown }: SetSettings): CommandResult {
  const rows = settings.map((each) => ({
    name: each.setting.name,
    value: withoutSecret(each) ?? null,
    source: each.source,
    fault: each.fault ?? null,
  }))
  const text = JSON.stringify({ chosen: chosenBy(settings), settings: rows, unknown }, undefined, 2)
  return { text, status: statusOf(settings) }
}

function asText({ settings, unknown }: SetSettings): CommandResult {
  const chosen = Object.entries(chosenBy(settings)).map(([what, text]) => [what, text])
  const rows = settings.map((each) => {
    const value = each.fault ?? withoutSecret(each) ?? '-'
    return [each.setting.name, each.fault === undefined ? each.source : 'BAD', toSingleLine(value)]
  })
  const lines = [formatTable(chosen), formatTable([['SETTING', 'FROM', 'VALUE'], ...rows])]
  if (unknown.length > 0) lines.push(`.env also has, of which quirl reads nothing: ${toSingleLine(unknown.join(', '))}`)
  return { text: lines.join('\n\n'), status: statusOf(settings) }
}

const statusOf = (settings: SetSetting[]) => (settings.some(({ fault }) => fault !== undefined) ? 1 : 0)

function chosenBy(settings: SetSetting[]): Chosen {
  const find = (name: string) => settings.find(({ setting }) => setting.name === name)
  const shown = (name: string) => {
    const found = find(name)
    return found === undefined || found.fault !== undefined ? undefined : withoutSecret(found)
  }
  const [database, redis] = [shown('DATABASE_URL'), shown('REDIS_URL')]
  const folder = shown('DATA_DIR') ?? ''
  const own =
    database === undefined ? 'in the memory of this process' : 'in the memory of each node, which counts by itself'
  return {
    links: database === undefined ? `SQLite in ${folder}` : `PostgreSQL at ${database}; the journal in ${folder}`,
    limits: redis === undefined ? own : `in Redis or Valkey at ${redis}`,
    https: find('TLS')?.value === true ? 'by quirl, with certificates that it obtains' : 'by a proxy, if at all',
  }
}
