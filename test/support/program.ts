import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { StopTimes } from '../../src/stop.ts'
import { temporaryFolder, undoLater, type Ending } from './cleanup.ts'
import { PATIENCE_MS } from './poll.ts'

export const program = fileURLToPath(new URL('../../bin/quirl.js', import.meta.url))

/** The program, started as an operator does. */
export interface Service {
  process: ChildProcess
  url: string
  port: number
  dataDir: string
  /** Everything on standard output and standard error so far. */
  output: () => string
}

/** Starts the program with other times of its stop than the usual ones. */
export function stopsWithin(times: StopTimes): { file: string; env: { STOP_TIMES: string } } {
  const file = fileURLToPath(new URL('stop-program.ts', import.meta.url))
  return { file, env: { STOP_TIMES: JSON.stringify(times) } }
}

/** A stop that waits for running requests as long as a test may take. */
export const patientStop = stopsWithin({ drainMs: 10 * PATIENCE_MS, stopMs: 10 * PATIENCE_MS })

interface StartOptions {
  file?: string
  env?: Record<string, string>
  /** The limit of open files (`ulimit -n`). */
  files?: number
}

/** Starts the program on a free port of loopback, and waits for the line with its address. */
export async function start(
  t: Ending,
  dataDir = temporaryFolder(t),
  args: string[] = [],
  { file = program, env = {}, files }: StartOptions = {},
): Promise<Service> {
  const whole = [process.execPath, file, '--port=0', '--host=127.0.0.1', `--data-dir=${dataDir}`, ...args]
  const limited = files === undefined ? whole : ['sh', '-c', `ulimit -n ${files} && exec "$0" "$@"`, ...whole]
  const [command = '', ...words] = limited
  // The lists that are recommended to a public service are on the internet, which no test reaches.
  const started = spawn(command, words, { cwd: tmpdir(), env: { ...process.env, ABUSE_FEEDS: 'off', ...env } })
  const exited = once(started, 'exit')
  undoLater(t, async () => {
    started.kill('SIGKILL')
    // Its folder is removed next, and it may still be writing a file.
    await exited
  })
  let output = ''
  started.stderr.on('data', (data) => (output += String(data)))
  const line = await new Promise<string>((resolve, reject) => {
    started.stdout.on('data', (data) => {
      output += String(data)
      if (output.includes('\n')) resolve(output)
    })
    started.once('exit', () => reject(new Error(output)))
  })
  const port = Number(/http:\/\/localhost:(\d+)/.exec(line)?.[1])
  return { process: started, url: `http://127.0.0.1:${port}`, port, dataDir, output: () => output }
}

export async function exitOf({ process: child }: Service): Promise<{ code: number | null; signal: string | null }> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return { code: child.exitCode, signal: child.signalCode }
}
