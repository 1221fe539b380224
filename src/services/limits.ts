import type { Database } from '../db/database.ts'
import type { Counters } from '../limits/counter.ts'
import { createMemoryCounters } from '../limits/memory-counter.ts'
import { openLimits, type Limits, type LimitsNeeds } from '../limits/open.ts'
import { guessQuotasOf, quotasOf, type QuotaSettings } from '../limits/quotas.ts'
import type { RedisConnectionNeeds } from '../nodes/counters/redis-connection.ts'

/** The settings of the limits. */
export interface LimitSettings extends QuotaSettings {
  databaseUrl: string | undefined
  redisUrl: RedisConnectionNeeds['address'] | undefined
}

interface CountersNeeds extends Pick<RedisConnectionNeeds, 'monotonic' | 'log'> {
  /** How long a command of Redis may take, when it is not the usual time. */
  redisMs?: number | undefined
  db: Database
  now: () => number
}

/** Opens the limits, with the quotas of the settings and the counters that they choose. */
export async function openConfiguredLimits(
  config: LimitSettings,
  needs: Omit<LimitsNeeds, 'quotas' | 'guesses' | 'counters'> & CountersNeeds & { isDiskLow: () => boolean },
): Promise<Limits> {
  const { isDiskLow } = needs
  const counters = await openCounters(config, needs)
  return openLimits({ ...needs, quotas: quotasOf(config, isDiskLow), guesses: guessQuotasOf(config), counters })
}

async function openCounters(
  { databaseUrl, redisUrl: address }: LimitSettings,
  needs: CountersNeeds,
): Promise<Counters> {
  const { db, now, monotonic, log, redisMs: commandMs } = needs
  const local = createMemoryCounters(monotonic)
  if (address === undefined) return local
  // Loaded here, because most services do not need it.
  const { openRedisCounters } = await import('../nodes/counters/redis-counter.ts')
  const { openSharedSalt } = await import('../nodes/counters/salts.ts')
  // The store in a folder has one node only, which needs no salt of others.
  const salt = databaseUrl === undefined ? local.salt : await openSharedSalt(db, { now, monotonic })
  return openRedisCounters({ address, salt, local, monotonic, log, commandMs })
}
