// A disk for benches whose syncs take longer than this machine's.
import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from './support.ts'

/**
 * With SYNC_MS in the environment, runs the bench once more with that many milliseconds added to each sync of a file, of its own
 * and of the servers that it starts; then ends.
 */
export function slowSyncs(): void {
  if (process.env['SYNC_MS'] === undefined || process.env['LD_PRELOAD'] !== undefined) return
  const library = join(temporaryFolder(), 'slow-sync.so')
  const source = fileURLToPath(new URL('slow-sync.c', import.meta.url))
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-Wall', '-Werror', '-o', library, source, '-ldl'])
  const env = { ...process.env, LD_PRELOAD: library }
  const { status } = spawnSync(process.execPath, process.argv.slice(1), { env, stdio: 'inherit' })
  process.exit(status ?? 1)
}
