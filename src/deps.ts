import { isStoreUnavailable, openDatabase } from './db/open.ts'
import type { Database } from './db/database.ts'
import type { Config } from './config.ts'
import { createOrigin, type Origin } from './http/origin.ts'
import { linkOfCode } from './links/manage.ts'
import { createReplays, type Replays } from './links/replay.ts'
import { createResolver, type Resolver } from './visits/resolve.ts'

/** What the features need, open. */
export interface Deps {
  version: string
  now: () => number
  db: Database
  origin: Origin
  owns: (url: URL) => boolean
  replays: Replays
  resolver: Resolver
  changed: (code: string) => void
  linkOf: (code: string) => Promise<{ code: string } | 'gone' | undefined>
  isReady: () => Promise<boolean>
  isUnavailable: (error: unknown) => boolean
  /** From now on the service is not ready. */
  drain: () => void
  close: () => Promise<void>
}

/**
 * Opens everything in order, to be closed in reverse.
 * @param port tells where the service listens, once it does
 * @throws {StartError} when the data folder cannot be used
 */
export async function openDeps(
  config: Config,
  environment: { version: string; port: () => number; now?: () => number },
): Promise<Deps> {
  const { version, port, now = Date.now } = environment
  const db = await openDatabase(config.dataDir, now)
  const origin = createOrigin(config.baseUrl, port)
  const resolver = createResolver((code) => linkOfCode({ db }, code), now)
  let draining = false
  return {
    version,
    now,
    db,
    origin,
    owns: origin.owns,
    replays: createReplays(db, now),
    resolver,
    changed: resolver.forget,
    async linkOf(code) {
      const resolution = await resolver.resolve(code)
      if ('live' in resolution) return resolution.live.link
      return resolution.state === 'gone' ? 'gone' : undefined
    },
    async isReady() {
      if (draining) return false
      await db.read.selectFrom('migrations').select('number').limit(1).execute()
      return true
    },
    isUnavailable: isStoreUnavailable,
    drain: () => (draining = true),
    close: () => db.close(),
  }
}
