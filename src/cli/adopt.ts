import { openDatabase } from '../db/open.ts'
import type { Database } from '../db/database.ts'
import { StartError } from '../lib/start-error.ts'
import { instanceOf } from '../links/instance.ts'
import { noteDeleted } from '../links/manage.ts'
import { assignScans, inspectScans, type Inspection } from '../scans/adopt.ts'
import { requireLinks } from '../scans/instance-check.ts'
import type { Command } from './command.ts'

export const adopt: Command = {
  name: 'adopt',
  usage: '',
  summary: 'check whether scans.db matches links.db, while the service is stopped; continue with links.db as it is',
  options: { yes: { type: 'boolean', doc: 'give up the scans of links that links.db does not know' } },
  async run({ words, flags, dataDir }) {
    if (words.length > 0) throw new StartError(`"quirl adopt" takes no "${words[0]}"`)
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
  if (mismatch === undefined && unknown.length === 0) return 'scans.db matches links.db: there is nothing to give up'
  if (!isConfirmed)
    return `${describe(inspection)}\nNothing was changed. "quirl adopt --yes" gives up what links.db does not know.`
  // Once they count as deleted, the next start removes their scans as it does those of any deleted link.
  await noteDeleted({ db }, unknown)
  assignScans(dataDir, await links.id())
  return `scans.db matches links.db from now on; the next start removes the scans of ${unknown.length} links`
}

function describe({ mismatch, known, unknown }: Inspection): string {
  const counts = `${known} links with scans are in links.db, or were; ${unknown.length} are not.`
  return mismatch === undefined ? counts : `scans.db does not match links.db: ${mismatch}. ${counts}`
}
