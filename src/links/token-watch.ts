import { setTimeout as sleep } from 'node:timers/promises'
import { credentialKey, tokenHashesOf, type Credential } from './credential.ts'
import { chunks, findIdsByTokens } from './store.ts'
import type { TokenDeps } from './token-look-up.ts'

/** How often the tokens are looked up: so late a deletion or rotation ends what it ends, whichever process made it. */
const INTERVAL_MS = 1000

/** Watches the tokens of what goes on for long, such as a stream: what has begun with a token ends with it. */
export interface TokenWatch {
  /** Calls back once the link's token no longer works, until the returned function is called. */
  add: (token: Credential, onEnded: () => void) => () => void
}

/** Looks nothing up while no token is watched, and does not keep the process alive. */
export function createTokenWatch({ db, now }: TokenDeps, intervalMs = INTERVAL_MS): TokenWatch {
  const watched = new Map<string, { token: Credential; listeners: Set<() => void> }>()
  let isRunning = false

  async function endThoseOver(): Promise<void> {
    for (const some of chunks([...watched.values()])) {
      const tokens = some.map(({ token }) => token)
      const hashes = await tokenHashesOf({ db, now }, tokens)
      const known = hashes.filter((hash) => hash !== undefined)
      const working = known.length === 0 ? new Map() : await findIdsByTokens(db.read, known, now())
      const ended = some.filter((_each, at) => !working.has(hashes[at] ?? ''))
      for (const onEnded of ended.flatMap(({ listeners }) => [...listeners])) onEnded()
    }
  }

  async function run(): Promise<void> {
    while (watched.size > 0) {
      await sleep(intervalMs, undefined, { ref: false })
      // While the store cannot be read, nobody knows; what reads it besides says so.
      await endThoseOver().catch(() => {})
    }
    isRunning = false
  }

  return {
    add(token, onEnded) {
      const key = credentialKey(token)
      const { listeners } = watched.get(key) ?? { listeners: new Set() }
      watched.set(key, { token, listeners: listeners.add(onEnded) })
      if (!isRunning) {
        isRunning = true
        void run()
      }
      return () => {
        listeners.delete(onEnded)
        if (listeners.size === 0 && watched.get(key)?.listeners === listeners) watched.delete(key)
      }
    },
  }
}
