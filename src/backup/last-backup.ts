import { renameSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chownLikeFolder } from '../lib/chown-like-folder.ts'
import type { BackupSummary } from './manifest.ts'

/** In the data folder, for the metrics of the service. No backup holds it. */
const NAME = 'last-backup.json'

/**
 * Notes when the last backup of a data folder was taken.
 * @returns why it could not be noted; the backup is complete all the same
 */
export function noteBackup(dataDir: string, { taken_at }: Pick<BackupSummary, 'taken_at'>): string | undefined {
  const file = join(dataDir, NAME)
  const draft = `${file}.new`
  try {
    writeFileSync(draft, `${JSON.stringify({ taken_at })}\n`, { mode: 0o600 })
    chownLikeFolder(draft)
    renameSync(draft, file)
    return undefined
  } catch (error) {
    return `its time could not be noted in ${dataDir} for the metrics: ${(error as Error).message}`
  }
}

/** @returns when the last backup was taken, in milliseconds since 1970; 0 when none is known of */
export async function lastBackupAt(dataDir: string): Promise<number> {
  try {
    const { taken_at: at } = JSON.parse(await readFile(join(dataDir, NAME), 'utf8')) as Partial<BackupSummary>
    return Date.parse(at ?? '') || 0
  } catch {
    return 0
  }
}
