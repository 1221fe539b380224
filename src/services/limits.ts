import { createMemoryCounters } from '../limits/memory-counter.ts'
import { openLimits, type Limits, type LimitsNeeds } from '../limits/open.ts'
import { guessQuotasOf, quotasOf, type QuotaSettings } from '../limits/quotas.ts'

/** Opens the limits, with the quotas of the settings. */
export function openConfiguredLimits(
  config: QuotaSettings,
  needs: Omit<LimitsNeeds, 'quotas' | 'guesses' | 'counters'>,
): Limits {
  const counters = createMemoryCounters(needs.monotonic)
  return openLimits({ ...needs, quotas: quotasOf(config), guesses: guessQuotasOf(config), counters })
}
