import type { JSONRPCMessage } from '@modelcontextprotocol/server'

/** Links and collections that calls create, until an answer with their tokens was written. */
export interface Creations {
  /** @param keep keeps the token when no answer had it, and returns what became of it */
  run: <T extends { token: string }>(create: () => Promise<T>, keep: (created: T) => string | undefined) => Promise<T>
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
  const unsent = new Map<unknown, () => string | undefined>()
  return {
    async run(create, keep) {
      const creation = create()
      underWay.add(creation)
      try {
        const created = await creation
        unsent.set(created.token, () => keep(created))
        return created
      } finally {
        underWay.delete(creation)
      }
    },
    onSent(message) {
      if (!('result' in message)) return
      const { structuredContent } = message.result as { structuredContent?: { token?: unknown } }
      unsent.delete(structuredContent?.token)
    },
    async ended() {
      await Promise.allSettled(underWay)
    },
    keepUnsent: () => Array.from(unsent.values(), (keep) => keep()).filter((line) => line !== undefined),
  }
}
