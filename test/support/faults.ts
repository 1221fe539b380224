import { execFileSync } from 'node:child_process'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from './cleanup.ts'
import { requireProgram } from './programs.ts'

/** An operation on files, and the error with which it fails. */
export interface Fault {
  /** `create` is an `open` of a file that may be written, `new` of one that does not exist. */
  operation: 'open' | 'create' | 'new' | 'read' | 'write' | 'sync'
  error: 'EIO' | 'ENOSPC' | 'EMFILE' | 'EROFS'
  /** A shell pattern of paths, in which `*` also matches slashes. */
  files: string
}

/** Makes the system calls of a program fail. */
export interface Faults {
  /** Environment variables of the program. */
  env: Record<string, string>
  /** Replaces the current faults by these. */
  set: (...faults: Fault[]) => void
  clear: () => void
}

/** Compiles faults.c. Undefined if there is no compiler: the test is then skipped, or fails in CI. */
export function buildFaults(t: TestContext): Faults | undefined {
  if (process.platform !== 'linux') {
    t.skip('system calls can be made to fail on Linux only')
    return undefined
  }
  if (!requireProgram(t, 'cc', 'gcc libc6-dev')) return undefined
  const folder = temporaryFolder(t)
  const library = join(folder, 'faults.so')
  const source = fileURLToPath(new URL('faults.c', import.meta.url))
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-Wall', '-Werror', '-o', library, source, '-ldl'])
  const file = join(folder, 'faults')
  return {
    env: { LD_PRELOAD: library, FAULTS: file },
    set(...faults) {
      const lines = faults.map(({ operation, error, files }) => `${operation} ${constants.errno[error]} ${files}\n`)
      writeFileSync(`${file}.new`, lines.join(''))
      // The program may read the file at any moment, and must never see a part of it.
      renameSync(`${file}.new`, file)
    },
    clear: () => rmSync(file, { force: true }),
  }
}
