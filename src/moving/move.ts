import type { CallOperation } from '../operator/client.ts'
import { isDiskFull, resultCode } from '../db/sqlite/errors.ts'
import { StartError } from '../lib/start-error.ts'
import { isComplete, openFolderTarget, publish } from './folder-target.ts'
import { openFolderSource } from './folder-source.ts'
import { migrate, type MigrateOptions, type Migrated } from './migrate.ts'
import type { Source } from './source.ts'
import type { Target } from './target.ts'

/** Where a store is: a data folder, or a database of PostgreSQL. */
export type Place = { folder: string } | { url: string }

/** Opens stores in PostgreSQL (`nodes/moving/places.ts`), and words what goes wrong with them. */
export interface PostgresPlaces {
  openSource: (url: string) => Promise<Source>
  openTarget: (url: string, source: Source, now: () => number) => Promise<Target>
  /** Why something failed, in one line that has no URL. */
  reasonOf: (error: Error) => string
}

export interface MoveOptions extends Pick<MigrateOptions, 'monotonic' | 'onStep' | 'onPage'> {
  from: Place
  to: Place
  now: () => number
  postgres: PostgresPlaces
  /** Creates a client of the service that runs on a folder. */
  callOn: (folder: string) => CallOperation
}

/**
 * Moves a store to another place; see `migrate`. Resolves with undefined when an earlier call had copied everything and
 * only the last step was missing.
 * @throws {StartError} when it cannot be done; the same call later goes on
 */
export async function move(options: MoveOptions): Promise<Migrated | undefined> {
  const { from, to, postgres } = options
  if ('folder' in from === 'folder' in to)
    throw new StartError('one of --from and --to must be a folder, and the other a URL of PostgreSQL')
  if ('folder' in to && isComplete(to.folder)) {
    publish(to.folder)
    return undefined
  }
  const failingAs = namingFailures(postgres)
  const source = await failingAs('--from', () => openSource(options))
  try {
    const target = await failingAs('--to', () => openTarget(options, source))
    try {
      return await failingAs('the copy', () => migrate({ ...options, source, target }))
    } finally {
      await target.close().catch(() => {})
    }
  } finally {
    await source.close().catch(() => {})
  }
}

async function openSource({ from, postgres, callOn }: MoveOptions): Promise<Source> {
  return 'folder' in from ? openFolderSource(from.folder, callOn(from.folder)) : postgres.openSource(from.url)
}

async function openTarget({ to, postgres, now }: MoveOptions, source: Source): Promise<Target> {
  return 'folder' in to ? openFolderTarget(to.folder, source, now) : postgres.openTarget(to.url, source, now)
}

/** Turns what the machine or the server reports into a line for the operator, which never has the URL. */
function namingFailures({ reasonOf }: PostgresPlaces) {
  return async <T>(which: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (error instanceof StartError || !(error instanceof Error)) throw error
      const cause = error.message.startsWith('PostgreSQL: ') && error.cause instanceof Error ? error.cause : error
      if (isDiskFull(cause)) throw new StartError(`the disk is full: make space, and run the command again`, { cause })
      if (!isExpected(cause)) throw error
      const happened = which === 'the copy' ? 'the copy was interrupted' : `${which} cannot be used`
      throw new StartError(`${happened}: ${reasonOf(cause)}`, { cause })
    }
  }
}

/** Errors of SQLite, of the system, and of PostgreSQL and the connection to it. */
function isExpected(error: Error): boolean {
  return (
    resultCode(error) !== undefined ||
    'syscall' in error ||
    'severity' in error ||
    'code' in error ||
    /connection|timeout/i.test(error.message)
  )
}
