import { pluralize } from '../lib/pluralize.ts'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { backUp } from '../backup/backup.ts'
import { noteBackup } from '../backup/last-backup.ts'
import type { BackupSummary } from '../backup/manifest.ts'
import { NotRunning } from '../operator/client.ts'
import { StartError } from '../lib/start-error.ts'
import { singleArgument } from './arguments.ts'
import type { Command } from './command.ts'
import { createProgress, megabytes, undoOnSignal, type Progress } from './progress.ts'

const REFRESH_MS = 200

export const backup: Command = {
  name: 'backup',
  usage: '<folder>',
  summary: 'copy all data into a new folder, whether the service is running or not',
  async run({ args, dataDir, databaseUrl, version, call }) {
    if (databaseUrl !== undefined)
      throw new StartError(
        'DATABASE_URL is set, and PostgreSQL backs itself up: pg_dump --format=custom --exclude-schema=quirl_visitors --exclude-schema=quirl_limits --file=quirl.dump "$DATABASE_URL"',
      )
    const folder = singleArgument(args, 'folder')
    // The data includes private keys of certificates.
    process.umask(0o077)
    const progress = createProgress()
    const steps = followSteps(progress, dataDir)
    const fold = () =>
      call('fold').then(
        () => true,
        (error: unknown) => {
          if (error instanceof NotRunning) return false
          throw error
        },
      )
    try {
      const summary = await backUp({
        dataDir,
        folder,
        version,
        fold,
        now: Date.now,
        onStep: steps.begin,
        undoOnEnd: undoOnSignal,
      })
      const text = `${folder} is a backup of ${describeBackup(summary)}`
      const warning = noteBackup(dataDir, summary)
      return warning === undefined ? text : { text, warning, status: 0 }
    } finally {
      steps.end()
    }
  },
}

interface Steps {
  begin: (step: string, folder: string) => void
  end: () => void
}

/** Shows the current step, and the progress of the copy of a database. */
function followSteps(progress: Progress, dataDir: string): Steps {
  let show = () => {}
  const timer = setInterval(() => show(), REFRESH_MS)
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size
  return {
    begin(step: string, folder: string) {
      show = () => {
        const [whole, done] = [dataDir, folder].map((each) => sizeOf(join(each, step)))
        const amount = whole === undefined ? '' : ` ${megabytes(done ?? 0)} of about ${megabytes(whole)}`
        progress.show(`${step}${amount} …`)
      }
      show()
    },
    end() {
      clearInterval(timer)
      progress.end()
    },
  }
}

/** A summary of a backup. */
export function describeBackup({ taken_at: at, links, scans, files }: BackupSummary): string {
  const bytes = Object.values(files).reduce((sum, each) => sum + each, 0)
  const journal = Object.keys(files).filter((path) => path.startsWith('journal/')).length
  return [
    `${at.slice(0, 19).replace('T', ' ')} UTC: ${pluralize(links.links, 'link')}`,
    pluralize(scans.scans, 'scan'),
    ...(journal > 0 ? [`${pluralize(journal, 'journal file')} with scans that are not in the statistics yet`] : []),
    megabytes(bytes),
  ].join(', ')
}
