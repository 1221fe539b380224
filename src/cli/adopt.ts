import { openDatabase } from '../db/open.ts'
import type { Database } from '../db/database.ts'
import { StartError } from '../lib/start-error.ts'
import { instanceOf } from '../links/instance.ts'
import { recordDeleted } from '../links/deletion.ts'
import { assignScans, inspectScans, type Inspection } from '../scans/sqlite/adopt.ts'
import { requireLinks } from '../scans/sqlite/instance-check.ts'
import type { Command } from './command.ts'

export const adopt: Command = {
  name: 'adopt',
  usage: '',
  summary: 'check whether scans.db matches links.db, while no quirl runs; or make it match',
  options: { yes: { type: 'boolean', doc: 'discard the scans of links that are not in links.db' } },
  async run({ args, flags, dataDir, databaseUrl }) {
    if (args.length > 0) throw new StartError(`"quirl adopt" takes no argument, but got "${args[0]}"`)
    if (databaseUrl !== undefined)
      throw new StartError('"quirl adopt" is for links.db and scans.db; with DATABASE_URL see "quirl journal adopt"')
    requireLinks(dataDir)
    const db = await openDatabase(dataDir, Date.now)
    try {
      return await adoptScans(db, dataDir, flags['yes'] === true)
    } finally {
      await db.close()
    }
  },
}

async function adoptScans(db: Database, dataDir: string, isConfirmed: boolean): Promise<string> {
  const links = instanceOf(db)
  const inspection = await inspectScans(dataDir, links)
  const { mismatch, unknown } = inspection
  if (mismatch === undefined && unknown.length === 0) return 'scans.db matches links.db: there is nothing to discard'
  if (!isConfirmed)
    return `${describe(inspection)}\nNothing was changed. "quirl adopt --yes" discards the scans of unknown links.`
  // Marked as deleted, so that the next start purges their scans like those of any deleted link.
  await recordDeleted({ db }, unknown)
  assignScans(dataDir, await links.id())
  return `scans.db matches links.db now; the next start removes the scans of ${unknown.length} links`
}

function describe({ mismatch, known, unknown }: Inspection): string {
  const counts = `Of the links with scans, ${known} are or were in links.db; ${unknown.length} are unknown to it.`
  return mismatch === undefined ? counts : `scans.db does not match links.db: ${mismatch}. ${counts}`
}
