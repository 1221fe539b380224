import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Holds } from './hold-probe.ts'

/** The environment variables with which a process loads the probe. */
export function probeEnvironment(folder: string): { HOLD_FILE: string; NODE_OPTIONS: string } {
  return {
    HOLD_FILE: join(folder, 'holds'),
    NODE_OPTIONS: `--import=${new URL('hold-probe.ts', import.meta.url).href}`,
  }
}

/** Reads the probe's measurements since the last call. */
export async function readHolds(child: { kill: (signal: 'SIGUSR2') => boolean }, file: string): Promise<Holds> {
  const lines = () => readFileSync(file, { encoding: 'utf8', flag: 'a+' }).match(/.+\n/g) ?? []
  const before = lines().length
  child.kill('SIGUSR2')
  while (lines().length === before) await sleep(2)
  return JSON.parse(lines().at(-1) ?? '{}') as Holds
}
