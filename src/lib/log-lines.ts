import { writeSync } from 'node:fs'

/** Lines that wait for a reader, in bytes; past it they are counted instead of kept. */
const MAX_WAITING_BYTES = 256 * 1024

/** How often a descriptor that takes nothing is tried again, in milliseconds. */
const RETRY_MS = 50

/** Writes lines to a descriptor that may have a slow reader, or none, and never waits for one. */
export interface LogLines {
  write: (line: string) => void
  /** Waits for the reader, so many milliseconds at most: for the end of the process, when nothing is left to hold up. */
  finish: (ms: number) => void
}

export interface LogLinesOptions {
  /** Writes what the descriptor takes now and returns how many bytes that was; throws EAGAIN when it takes none. */
  put?: (fd: number, bytes: Buffer) => number
  maxBytes?: number
  /** Told how many lines were dropped, once the lines before them have been written. */
  onDropped: (lines: number) => void
}

/**
 * The descriptor must be one that does not block. Each line is given to the system before `write` returns, unless others
 * wait: a process that crashes has written what it logged. Lines keep their order, and those that are dropped are
 * dropped together, where the count stands.
 */
export function createLogLines(
  fd: number,
  { put = writeSync, maxBytes = MAX_WAITING_BYTES, onDropped }: LogLinesOptions,
): LogLines {
  let waiting: Buffer[] = []
  let bytes = 0
  let dropped = 0
  let timer: NodeJS.Timeout | undefined

  /** Writes as much as is taken; whether that was everything. */
  function flush(): boolean {
    try {
      for (let [first] = waiting; first !== undefined; [first] = waiting) {
        const length = put(fd, first)
        bytes -= length
        if (length === first.length) waiting.shift()
        else waiting[0] = first.subarray(length)
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return false
      // Nobody will read this any more (EPIPE), or the disk is full.
      dropped += waiting.length
      waiting = []
      bytes = 0
      return true
    }
    if (dropped > 0) tellDropped()
    return waiting.length === 0
  }

  function tellDropped(): void {
    const lines = dropped
    dropped = 0
    onDropped(lines)
  }

  function retry(): void {
    timer = undefined
    if (!flush()) timer ??= setTimeout(retry, RETRY_MS).unref()
  }

  return {
    write(line) {
      const isFull = bytes > 0 && (dropped > 0 || bytes + Buffer.byteLength(line) > maxBytes)
      if (isFull) return void dropped++
      const encoded = Buffer.from(line)
      waiting.push(encoded)
      bytes += encoded.length
      if (timer === undefined) retry()
    },
    finish(ms) {
      const deadline = performance.now() + ms
      const nothing = new Int32Array(new SharedArrayBuffer(4))
      while (!flush() && performance.now() < deadline) Atomics.wait(nothing, 0, 0, 10)
    },
  }
}
