import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  serializeMessage,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import type { Readable, Writable } from 'node:stream'
import { openOutput } from '../output.ts'

/** MCP on two streams. */
export interface StreamTransport extends Transport {
  /** Reads no further, as at the end of the input. */
  stop: () => void
  /** Resolves when nothing more is read and everything that was read is answered; the answers are written, or cannot be. */
  answered: Promise<void>
}

/** Has no answer as long as the connection lasts. */
const ENDLESS = 'subscriptions/listen'

/**
 * The SDK's transport closes when the input ends: calls that have begun are not answered, and what they create is lost. So it
 * only reads here; the connection is closed by whoever has waited for the answers.
 * @param onSent called with each message that was written
 */
export function createStreamTransport(
  input: Readable,
  output: Writable,
  onSent: (message: JSONRPCMessage) => void,
): StreamTransport {
  const { write } = openOutput(output)
  const requests = createRequests()
  const reader = new StdioServerTransport(input, output)
  const transport: StreamTransport = {
    stop: () => void reader.close(),
    answered: requests.answered,
    start: () => reader.start(),
    async send(message) {
      try {
        await write(serializeMessage(message))
        onSent(message)
      } finally {
        if (isJSONRPCResponse(message)) requests.onSettled(message.id)
      }
    },
    async close() {
      await reader.close()
      transport.onclose?.()
    },
  }
  const events: Pick<Transport, 'onmessage' | 'onerror' | 'onclose'> = {
    onmessage(message) {
      requests.onReceived(message)
      transport.onmessage?.(message)
    },
    onerror: (error) => transport.onerror?.(error),
    // The input has ended, or the output takes nothing any more.
    onclose: requests.onLast,
  }
  Object.assign(reader, events)
  return transport
}

/** The requests that are not answered yet. */
function createRequests() {
  const open = new Set<unknown>()
  const answered = Promise.withResolvers<void>()
  let areAll = false

  function onAnswered(id?: unknown): void {
    open.delete(id)
    if (areAll && open.size === 0) answered.resolve()
  }

  return {
    answered: answered.promise,
    onSettled: onAnswered,
    onReceived: (message: JSONRPCMessage): void => {
      if (isJSONRPCRequest(message) && message.method !== ENDLESS) open.add(message.id)
      // The answer to a call that was cancelled is not sent.
      if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled')
        onAnswered(message.params?.['requestId'])
    },
    onLast: (): void => {
      areAll = true
      onAnswered()
    },
  }
}
