import { createOperatorClient } from '../operator/client.ts'
import { StartError } from '../lib/start-error.ts'
import { withVariables } from '../config/postgres-url.ts'
import { move, type Place } from '../moving/move.ts'
import type { Migrated } from '../moving/migrate.ts'
import type { Command } from './command.ts'
import { createProgress } from './progress.ts'

export const migrate: Command = {
  name: 'migrate',
  usage: '',
  summary:
    'move everything between a data folder and PostgreSQL, while quirl runs or not; may be interrupted and run again',
  options: {
    from: { type: 'string', doc: 'a data folder, or postgres://user:password@host:5432/database' },
    to: { type: 'string', doc: 'the other of both, without a store' },
  },
  async run({ args, flags, env }) {
    if (args.length > 0) throw new StartError(`"quirl migrate" takes no argument, but got "${args[0]}"`)
    const [from, to] = ['from', 'to'].map((name) => {
      const text = flags[name]
      if (typeof text !== 'string' || text === '') throw new StartError(`give --${name}; see "quirl migrate --help"`)
      return readPlace(text, env)
    }) as [Place, Place]
    process.umask(0o077)
    // Loaded here, because no service needs it.
    const { postgresPlaces: postgres } = await import('../nodes/moving/places.ts')
    const progress = createProgress()
    let step = ''
    try {
      const moved = await move({
        from,
        to,
        postgres,
        now: Date.now,
        monotonic: () => performance.now(),
        callOn: createOperatorClient,
        onStep: (next) => progress.show((step = `${next} …`)),
        onPage: (table, rows) => progress.show(`${step} ${table}: ${rows.toLocaleString('en')} rows`),
      })
      progress.end()
      return `${describe(moved)}\n${nextStep(to)}`
    } finally {
      progress.end()
    }
  },
}

/**
 * @param env has the variables of libpq, which complete a URL
 * @throws {StartError} when the text is neither
 */
function readPlace(text: string, env: Parameters<typeof withVariables>[1]): Place {
  if (/^postgres(?:ql)?:\/\/\S+$/.test(text)) return { url: withVariables(text, env) }
  if (text.includes('://'))
    throw new StartError('a store is a folder, or a URL such as postgres://user:password@host:5432/database')
  return { folder: text }
}

function describe(moved: Migrated | undefined): string {
  if (moved === undefined) return 'everything had been copied already'
  const rows = moved.tables.reduce((sum, { sum: { rows } }) => sum + rows, 0)
  const links = moved.tables.find(({ table }) => table.group === 'links' && table.name === 'links')?.sum.rows ?? 0
  const [count, ofLinks] = [rows, links].map((each) => each.toLocaleString('en'))
  const refused =
    moved.refusedMs === undefined ? '' : `; changes are refused since ${(moved.refusedMs / 1000).toFixed(1)} seconds`
  return `${count} rows were moved and compared, among them ${ofLinks} links${refused}`
}

function nextStep(to: Place): string {
  return 'folder' in to
    ? `Now unset DATABASE_URL, and restart quirl with --data-dir=${to.folder}.`
    : 'Now set DATABASE_URL to the new store, and restart quirl with the same DATA_DIR: its journal has the visits since.'
}
