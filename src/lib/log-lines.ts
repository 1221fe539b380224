import { writeSync } from 'node:fs'

/** Bytes of lines that wait for the reader; past that, lines are dropped and counted. */
const MAX_WAITING_BYTES = 256 * 1024

/** The interval of retries while the descriptor accepts nothing, in milliseconds. */
const RETRY_MS = 50

/** Writes lines to a descriptor whose reader may be slow or absent, without blocking. */
export interface LogLines {
  write: (line: string) => void
  /** Blocks until all lines are written, or the time is over: for the end of the process. */
  finish: (ms: number) => void
}

export interface LogLinesOptions {
  /** Writes as much as the descriptor accepts, and returns the number of bytes; throws EAGAIN when it accepts none. */
  put?: (fd: number, bytes: Buffer) => number
  maxBytes?: number
  /** Called with the number of dropped lines, once the lines before them have been written. */
  onDropped: (lines: number) => void
}

/**
 * The descriptor must be non-blocking. Each line is written before `write` returns, unless others wait: a process that
 * crashes has written what it logged. Lines keep their order; dropped ones are consecutive, and their number is reported
 * where they are missing.
 */
export function createLogLines(
  fd: number,
  { put = writeSync, maxBytes = MAX_WAITING_BYTES, onDropped }: LogLinesOptions,
): LogLines {
  const waiting = createBacklog((bytes) => put(fd, bytes))
  let dropped = 0
  let timer: NodeJS.Timeout | undefined

  /** @returns whether nothing is left to write */
  function flush(): boolean {
    try {
      waiting.flush()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return false
      // The reader has gone (EPIPE), or the disk is full.
      dropped += waiting.clear()
      return true
    }
    if (dropped > 0) reportDropped()
    return waiting.bytes() === 0
  }

  function reportDropped(): void {
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
      const bytes = waiting.bytes()
      if (bytes > 0 && (dropped > 0 || bytes + Buffer.byteLength(line) > maxBytes)) return void dropped++
      waiting.add(Buffer.from(line))
      if (timer === undefined) retry()
    },
    finish(ms) {
      const deadline = performance.now() + ms
      while (!flush() && performance.now() < deadline) blockFor(10)
    },
  }
}

function blockFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** @param put writes as much as possible, and returns the number of bytes */
function createBacklog(put: (bytes: Buffer) => number) {
  let lines: Buffer[] = []
  let bytes = 0
  return {
    bytes: () => bytes,
    add(line: Buffer) {
      lines.push(line)
      bytes += line.length
    },
    /** Writes all lines, or throws what `put` throws. */
    flush() {
      for (let [first] = lines; first !== undefined; [first] = lines) {
        const length = put(first)
        bytes -= length
        if (length === first.length) lines.shift()
        else lines[0] = first.subarray(length)
      }
    },
    /** @returns the number of lines that it drops */
    clear() {
      const count = lines.length
      lines = []
      bytes = 0
      return count
    },
  }
}
