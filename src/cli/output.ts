import { fstatSync, writeFileSync } from 'node:fs'

/** Where a command prints. */
export interface Output {
  /** Resolves when the system has the whole text; rejects when it does not take it: its reader has gone, or the disk is full. */
  write: (text: string | Uint8Array) => Promise<void>
}

/** Standard output. */
export function openStandardOutput(): Output {
  const { fd } = process.stdout
  // Node's stream for a file ignores that a nearly full disk takes only a part of a text.
  return isFile(fd) ? { write: async (text) => writeFileSync(fd, text) } : openOutput(process.stdout)
}

export function openOutput(stream: NodeJS.WritableStream): Output {
  // Without a listener, a reader that stops reading would end the process by an exception.
  stream.on('error', () => {})
  return {
    write: (text) =>
      new Promise((resolve, reject) => {
        stream.write(text, (error) => (error ? reject(error) : resolve()))
      }),
  }
}

function isFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile()
  } catch {
    return false
  }
}
