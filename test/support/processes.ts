import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { undoLater, type Ending } from './cleanup.ts'

/** A program that runs beside the test. */
export interface Running {
  process: ChildProcess
  output: () => string
  /** Why it has ended; undefined while it runs. */
  ended: () => string | undefined
  stop: (signal?: NodeJS.Signals) => Promise<void>
}

/** Starts a program, and kills it when the test ends. The lists that a public service has by default are on the internet. */
export function run(t: Ending, program: string, args: string[], env: Record<string, string> = {}): Running {
  const child = spawn(program, args, {
    env: { ...process.env, ABUSE_FEEDS: 'off', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (data) => (output += String(data)))
  child.stderr.on('data', (data) => (output += String(data)))
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  const stop = async (signal: NodeJS.Signals = 'SIGKILL') => {
    if (isOver()) return
    child.kill(signal)
    await once(child, 'exit')
  }
  undoLater(t, () => stop())
  return {
    process: child,
    output: () => output,
    ended: () => (isOver() ? `${program} ended: ${output}` : undefined),
    stop,
  }
}
