import { connect, type Socket } from 'node:net'
import { undoLater, type Ending } from './cleanup.ts'

/** A plain TCP connection, and all bytes received on it. */
export interface RawConnection {
  socket: Socket
  /** All bytes received so far, one character per byte. */
  received: () => string
  /** Resolves when the connection is closed or broken. */
  closed: Promise<void>
}

/** @param port of loopback */
export function connectRaw(t: Ending, port: number): RawConnection {
  const socket = connect(port, '127.0.0.1')
  const parts: Buffer[] = []
  socket.on('data', (part: Buffer) => parts.push(part))
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  undoLater(t, async () => {
    socket.destroy()
    await closed
  })
  let text = ''
  const received = () => {
    // Only what is new is decoded: a test that waits asks a hundred times a second, for up to some 60 MB.
    for (const part of parts.splice(0)) text += part.toString('latin1')
    return text
  }
  return { socket, received, closed }
}

/** Sends bytes, and resolves with the response once the connection is closed or `isWhole` returns true. */
export async function exchange(
  t: Ending,
  port: number,
  bytes: string | Uint8Array,
  isWhole: (received: string) => boolean = () => false,
): Promise<string> {
  const { socket, received, closed } = connectRaw(t, port)
  socket.write(bytes)
  const whole = new Promise<void>((resolve) => {
    socket.on('data', () => {
      if (isWhole(received())) resolve()
    })
  })
  await Promise.race([closed, whole])
  socket.destroy()
  return received()
}
