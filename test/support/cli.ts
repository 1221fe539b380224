import { execFile } from 'node:child_process'
import { PATIENCE_MS } from './poll.ts'
import { program } from './program.ts'

/** What a command printed, and its exit status. */
export interface Ran {
  status: number | null
  stdout: string
  stderr: string
}

/** Runs a command of the program on a data folder, as an operator does. */
export function quirl(dataDir: string, ...args: string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { cwd: '/', timeout: PATIENCE_MS }
    const child = execFile(
      process.execPath,
      [program, ...args, `--data-dir=${dataDir}`],
      options,
      (_, stdout, stderr) => resolve({ status: child.exitCode, stdout, stderr }),
    )
  })
}
