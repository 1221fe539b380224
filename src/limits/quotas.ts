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

/**
 * What a client stores in an hour while the disk is nearly full, in KiB: a network, which has sixteen times that, takes a day for the
 * gibibyte that is free then, and the operator has that time.
 */
export const ROOM_KIB = 2048

/**
 * Reads the quotas from the settings.
 * @param isDiskLow whether the disk that links are stored on is nearly full
 */
export function quotasOf(config: QuotaSettings, isDiskLow: () => boolean): Quotas {
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
    get room() {
      return isDiskLow() ? ROOM_KIB : 0
    },
  }
}

/** Reads the quotas of wrong passwords from the settings. */
export function guessQuotasOf(config: QuotaSettings): GuessQuotas {
  return { perClient: config.limitGuesses, perLink: config.limitLinkGuesses }
}
