import { execFile } from 'node:child_process'
import { outcomeOf, type Outcome } from '../../src/main.ts'
import { PATIENCE_MS } from './poll.ts'
import { program } from './program.ts'

/** The output and exit status of a command. */
export interface Ran {
  status: number | null
  stdout: string
  stderr: string
}

/**
 * Runs a command in this process. Other tests prove that the program prints its output and exits with its status:
 * starting the program takes a hundred times as long as the command.
 */
export function command(dataDir: string, ...args: string[]): Promise<Outcome> {
  return outcomeOf([...args, `--data-dir=${dataDir}`])
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
