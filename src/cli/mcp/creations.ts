import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import type { Service } from '../owner/service.ts'
import { keepUnprinted, type Created } from '../owner/unprinted.ts'

/** Links that calls create, until an answer with their tokens was written. */
export interface Creations {
  /** Creates a link. */
  run: <T extends Created>(service: Service, create: () => Promise<T>) => Promise<T>
  /** To be called with each message that was written. */
  onSent: (message: JSONRPCMessage) => void
  /** Resolves when no creation is under way. */
  ended: () => Promise<void>
  /** Keeps the tokens that no answer had. Returns what became of them, line by line. */
  keepUnsent: () => string[]
}

export function createCreations(): Creations {
  const underWay = new Set<Promise<unknown>>()
  /** By token. */
  const unsent = new Map<unknown, { service: Service; created: Created }>()
  return {
    async run(service, create) {
      const creation = create()
      underWay.add(creation)
      try {
        const created = await creation
        unsent.set(created.token, { service, created })
        return created
      } finally {
        underWay.delete(creation)
      }
    },
    onSent(message) {
      if (!('result' in message)) return
      const { structuredContent } = message.result as { structuredContent?: Partial<Created> }
      unsent.delete(structuredContent?.token)
    },
    async ended() {
      await Promise.allSettled(underWay)
    },
    keepUnsent: () =>
      Array.from(unsent.values(), ({ service, created }) => keepUnprinted(service, [created])).filter(
        (line) => line !== undefined,
      ),
  }
}
