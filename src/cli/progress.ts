/** What is being done, on one line of a terminal that is written over; elsewhere nothing is shown. */
export interface Progress {
  show: (text: string) => void
  end: () => void
}

/** @param terminal standard error: what is printed at last stands on standard output alone */
export function createProgress(terminal: NodeJS.WriteStream = process.stderr): Progress {
  const put = (text: string) => {
    if (terminal.isTTY) terminal.write(`\r\u001B[K${text}`)
  }
  return { show: put, end: () => put('') }
}

/** A number of bytes as an operator reads it. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`
}

/** Calls `undo` should the operator or the system end the process before the function that this answers is called. */
export function undoOnSignal(undo: () => void): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const stop = () => {
    for (const signal of signals) process.off(signal, end)
  }
  const end = (signal: NodeJS.Signals) => {
    try {
      undo()
    } finally {
      stop()
      // A thread that copies would keep Node from ending by itself; the signal's own effect does not wait for it.
      process.kill(process.pid, signal)
    }
  }
  for (const signal of signals) process.on(signal, end)
  return stop
}
