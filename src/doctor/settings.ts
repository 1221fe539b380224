import { isOpenToPublic, listSourcesOf } from '../abuse/list-sources.ts'
import { checkedConfig, type CheckedConfig, type Config } from '../config/config.ts'

/** The settings that checks are about, as JSON: without credentials. */
export interface CheckedSettings extends CheckedConfig {
  baseUrl: string | null
  trustsProxies: boolean
  /** Whether links are in PostgreSQL, and requests are counted in Redis. */
  isShared: boolean
  isCounted: boolean
  hasLists: boolean
  /** Whether the operator has turned lists off where they are on by default. */
  listsOff: boolean
}

export function checkedSettings(config: Config): CheckedSettings {
  const hasLists = listSourcesOf(config).length > 0
  return {
    ...checkedConfig(config),
    baseUrl: config.baseUrl ?? null,
    trustsProxies: (config.trustProxy ?? []).length > 0,
    isShared: config.databaseUrl !== undefined,
    isCounted: config.redisUrl !== undefined,
    hasLists,
    listsOff: !hasLists && config.abuseFeeds !== undefined && isOpenToPublic(config),
  }
}
