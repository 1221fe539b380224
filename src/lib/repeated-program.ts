import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** Runs its arguments for each line that it reads, and writes a full stop after them. It ends with its input, and once they fail. */
const LOOP = 'while read -r _; do "$@" || exit; echo .; done'
const END = '.'
/** Where systems have programs, whatever the service's own environment says, which has secrets besides. */
const ENVIRONMENT = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin', LC_ALL: 'C' }

/** How long a run may take, and how long the shell waits for the next one, in milliseconds. */
export interface RepeatedTimes {
  runMs: number
  idleMs: number
}

/**
 * Runs a program.
 * @param onLine called with each line that it writes; what it throws ends the run
 * @param signal ends the run, and the shell
 * @throws {Error} when it cannot be run, fails, or takes too long
 */
export type RunProgram = (onLine: (line: string) => Promise<void>, signal: AbortSignal) => Promise<void>

/**
 * A program that is run again and again, one run at a time, by a shell of its own: to start one from here has the kernel copy the tables of
 * all memory of this process, 20 to 190 ms, in which the event loop stands still. Its lines must not be a full stop alone.
 */
export function createRepeatedProgram(command: readonly string[], { runMs, idleMs }: RepeatedTimes): RunProgram {
  let shell: Shell | undefined
  const end = () => {
    shell?.end()
    shell = undefined
  }
  return async (onLine, signal) => {
    signal.throwIfAborted()
    if (shell === undefined) signal.addEventListener('abort', end, { once: true })
    shell ??= startShell(command)
    const { ask, lines } = shell
    clearTimeout(shell.timer)
    shell.timer = setTimeout(end, runMs)
    try {
      ask()
      for (let line = await nextOf(lines); line !== END; line = await nextOf(lines)) await onLine(line)
      clearTimeout(shell?.timer)
      if (shell !== undefined) shell.timer = setTimeout(end, idleMs).unref()
    } catch (error) {
      end()
      signal.throwIfAborted()
      throw error
    }
  }
}

type Shell = ReturnType<typeof startShell>

function startShell(command: readonly string[]) {
  const child = spawn('sh', ['-c', LOOP, 'sh', ...command], { stdio: ['pipe', 'pipe', 'ignore'], env: ENVIRONMENT })
  const reader = createInterface({ input: child.stdout })
  const lines = reader[Symbol.asyncIterator]()
  const close = () => reader.close()
  // Where there is no shell, and when it has ended before it was asked.
  child.once('error', close).once('close', close)
  child.stdin.on('error', close)
  child.unref()
  return {
    lines,
    timer: undefined as NodeJS.Timeout | undefined,
    ask: () => void child.stdin.write('\n'),
    end() {
      clearTimeout(this.timer)
      child.kill('SIGKILL')
      close()
    },
  }
}

async function nextOf(lines: Shell['lines']): Promise<string> {
  const { done, value } = await lines.next()
  if (done === true) throw new Error('the program has failed, or took too long')
  return value
}
