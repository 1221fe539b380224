import { StartError } from '../lib/start-error.ts'
import { verify as look } from '../backup/verify.ts'
import type { Command } from './command.ts'
import { createProgress } from './progress.ts'
import { oneLine, table } from './table.ts'

export const verify: Command = {
  name: 'verify',
  usage: '[<folder>]',
  summary: 'check all that is kept, or a backup: files, rows, sums; exits 1 when something is wrong',
  async run({ words, dataDir }) {
    const [backup, ...more] = words
    if (more.length > 0) throw new StartError('name one backup, or none for what is kept in DATA_DIR')
    const progress = createProgress()
    const onStep = (step: string) => progress.show(`${step} …`)
    try {
      const findings = await look({ folder: backup ?? dataDir, isBackup: backup !== undefined, onStep })
      const rows = findings.map(({ what, isGood, text }) => [what, isGood ? 'good' : 'BAD', oneLine(text)])
      return { text: table(rows), status: findings.every(({ isGood }) => isGood) ? 0 : 1 }
    } finally {
      progress.end()
    }
  },
}
