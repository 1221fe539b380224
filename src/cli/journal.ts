import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { lockFolder } from '../db/lock.ts'
import { StartError } from '../lib/start-error.ts'
import type { Command } from './command.ts'

export const journal: Command = {
  name: 'journal',
  usage: 'adopt <folder>',
  summary:
    'move the scans that a node of DATABASE_URL has not folded from its DATA_DIR <folder>, after the node has died',
  async run({ args, databaseUrl: url }) {
    const [verb, folder, ...more] = args
    if (verb !== 'adopt' || folder === undefined || more.length > 0)
      throw new StartError('give "adopt" and the DATA_DIR of a node that no longer runs')
    if (url === undefined)
      throw new StartError('set DATABASE_URL: only nodes on PostgreSQL can have the scans of another one')
    const path = join(folder, 'journal')
    if (!existsSync(path)) throw new StartError(`${folder} has no journal: give the DATA_DIR of a node`)
    const lock = lockFolder(folder)
    try {
      const { adoptJournal } = await import('../nodes/scans/adopt-journal.ts')
      const { moved, damaged, failed, left } = await adoptJournal(url, path)
      const text = `${moved} scans of ${folder} are in the statistics now`
      const faults = [
        ...damaged.map((file) => `${file} was damaged, and is kept as ${file}.damaged`),
        ...failed.map(({ file, reason }) => `${file} could not be folded: ${reason}`),
      ]
      return { text: [text, ...faults].join('\n'), status: left > 0 ? 1 : 0 }
    } finally {
      lock.release()
    }
  },
}
