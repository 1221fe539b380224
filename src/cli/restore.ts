import { resolve } from 'node:path'
import { restore as restoreBackup } from '../backup/restore.ts'
import { describeBackup } from './backup.ts'
import { StartError } from '../lib/start-error.ts'
import { singleArgument } from './arguments.ts'
import type { Command } from './command.ts'
import { createProgress } from './progress.ts'

export const restore: Command = {
  name: 'restore',
  usage: '<folder>',
  summary: 'restore a backup into an empty DATA_DIR, while no quirl runs on it',
  async run({ args, dataDir, databaseUrl }) {
    if (databaseUrl !== undefined)
      throw new StartError(
        'DATABASE_URL is set, and PostgreSQL restores its own dumps, into an empty database: pg_restore --exit-on-error --single-transaction --no-owner --dbname="$DATABASE_URL" quirl.dump',
      )
    const folder = singleArgument(args, 'folder')
    process.umask(0o077)
    const progress = createProgress()
    try {
      const summary = restoreBackup({ folder, dataDir, onStep: (step) => progress.show(`${step} …`) })
      return `${resolve(dataDir)} now has the backup of ${describeBackup(summary)}`
    } finally {
      progress.end()
    }
  },
}
