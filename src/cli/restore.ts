import { resolve } from 'node:path'
import { restore as putBack } from '../backup/restore.ts'
import { contentsOf } from './backup.ts'
import { oneWord } from './block.ts'
import type { Command } from './command.ts'
import { createProgress } from './progress.ts'

export const restore: Command = {
  name: 'restore',
  usage: '<folder>',
  summary: 'put a backup into an empty DATA_DIR, on which no quirl runs',
  async run(call) {
    const folder = oneWord(call, 'folder')
    process.umask(0o077)
    const progress = createProgress()
    try {
      const summary = putBack({ folder, dataDir: call.dataDir, onStep: (step) => progress.show(`${step} …`) })
      return `${resolve(call.dataDir)} holds the backup of ${contentsOf(summary)}`
    } finally {
      progress.end()
    }
  },
}
