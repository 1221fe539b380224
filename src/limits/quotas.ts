import type { GuessQuotas } from './guesses.ts'
import type { Quotas } from './limits.ts'

/** The settings of the quotas. */
export interface QuotaSettings {
  limitLinks: number
  limitChanges: number
  limitBulk: number
  limitAliases: number
  limitQr: number
  limitDomains: number
  limitReports: number
  limitFailures: number
  limitMisses: number
  limitGuesses: number
  limitLinkGuesses: number
}

/** Reads the quotas from the settings. */
export function quotasOf(config: QuotaSettings): Quotas {
  return {
    links: config.limitLinks,
    changes: config.limitChanges,
    bulk: config.limitBulk,
    aliases: config.limitAliases,
    qr: config.limitQr,
    domains: config.limitDomains,
    reports: config.limitReports,
    failures: config.limitFailures,
    misses: config.limitMisses,
  }
}

/** Reads the quotas of wrong passwords from the settings. */
export function guessQuotasOf(config: QuotaSettings): GuessQuotas {
  return { perClient: config.limitGuesses, perLink: config.limitLinkGuesses }
}
