import { StartError } from '../lib/start-error.ts'
import type { Finding } from '../backup/findings.ts'
import type { VerifyPostgresOptions } from '../nodes/backup/verify.ts'
import { verify as verifyFolder } from '../backup/verify.ts'
import type { Command } from './command.ts'
import { createProgress } from './progress.ts'
import { toSingleLine, formatTable } from './table.ts'

/** Loaded here, because most services do not need it. */
async function verifyShared(options: VerifyPostgresOptions): Promise<Finding[]> {
  const { verifyPostgres } = await import('../nodes/backup/verify.ts')
  return verifyPostgres(options)
}

export const verify: Command = {
  name: 'verify',
  usage: '[<folder>]',
  summary: 'check the data or a backup: files, rows, checksums; exits with 1 when a check fails',
  async run({ args, dataDir, databaseUrl: url }) {
    const [backup, ...more] = args
    if (more.length > 0) throw new StartError('give one backup, or none to check DATA_DIR')
    const progress = createProgress()
    const onStep = (step: string) => progress.show(`${step} …`)
    try {
      const isShared = backup === undefined && url !== undefined
      const findings = isShared
        ? await verifyShared({ url, dataDir, onStep })
        : await verifyFolder({ folder: backup ?? dataDir, isBackup: backup !== undefined, onStep })
      const rows = findings.map(({ what, isGood, text }) => [what, isGood ? 'good' : 'BAD', toSingleLine(text)])
      return { text: formatTable(rows), status: findings.every(({ isGood }) => isGood) ? 0 : 1 }
    } finally {
      progress.end()
    }
  },
}
