import { execFileSync } from 'node:child_process'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolder } from './cleanup.ts'
import { requireProgram } from './programs.ts'

/** An operation on all files whose path matches, and the error that it fails with. */
export interface Fault {
  operation: 'open' | 'read' | 'write' | 'sync'
  error: 'EIO' | 'ENOSPC' | 'EMFILE'
  /** As of the shell: `*` is anything. */
  files: string
}

/** What lets the system calls of a program fail. */
export interface Faults {
  /** What the program needs in its environment. */
  env: Record<string, string>
  /** From now on these faults are there, and no others. */
  set: (...faults: Fault[]) => void
  clear: () => void
}

/** Builds what lets system calls fail. Undefined where there is no compiler: the test is skipped then, or fails in CI. */
export function buildFaults(t: TestContext): Faults | undefined {
  if (process.platform !== 'linux') {
    t.skip('system calls are made to fail on Linux alone')
    return undefined
  }
  if (!requireProgram(t, 'cc', 'gcc libc6-dev')) return undefined
  const folder = temporaryFolder(t)
  const library = join(folder, 'faults.so')
  const source = new URL('faults.c', import.meta.url).pathname
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-Wall', '-Werror', '-o', library, source, '-ldl'])
  const file = join(folder, 'faults')
  return {
    env: { LD_PRELOAD: library, FAULTS: file },
    set(...faults) {
      const lines = faults.map(({ operation, error, files }) => `${operation} ${constants.errno[error]} ${files}\n`)
      writeFileSync(`${file}.new`, lines.join(''))
      // The program reads it all the time, and must not find half of it.
      renameSync(`${file}.new`, file)
    },
    clear: () => rmSync(file, { force: true }),
  }
}
