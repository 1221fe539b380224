/** A progress line, which is overwritten in place. Nothing is shown unless the output is a terminal. */
export interface Progress {
  show: (text: string) => void
  end: () => void
}

/** @param terminal standard error, because standard output is for the result */
export function createProgress(terminal: NodeJS.WriteStream = process.stderr): Progress {
  const show = (text: string) => {
    if (terminal.isTTY) terminal.write(`\r\u001B[K${text}`)
  }
  return { show, end: () => show('') }
}

/** A human-readable number of bytes. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Lets what has begun end when a signal arrives, because only its response has the tokens of what it creates. A second signal
 * ends the process at once.
 * @returns removes the handlers
 */
export function finishOnSignal(onSignal: () => void = () => {}): () => void {
  const end = () => {
    for (const signal of signals) process.off(signal, stop)
  }
  const stop = () => {
    end()
    process.stderr.write('quirl: finishing what has begun; a second signal ends it at once\n')
    onSignal()
  }
  for (const signal of signals) process.on(signal, stop)
  return end
}

/** Calls `undo` when a signal ends the process. Returns a function that removes the handlers. */
export function undoOnSignal(undo: () => void): () => void {
  const stop = () => {
    for (const signal of signals) process.off(signal, end)
  }
  const end = (signal: NodeJS.Signals) => {
    try {
      undo()
    } finally {
      stop()
      // A thread that copies would keep the process alive; the default action of the signal does not wait for it.
      process.kill(process.pid, signal)
    }
  }
  for (const signal of signals) process.on(signal, end)
  return stop
}
