import type { ClientAddress } from '../http/client-address.ts'
import type { Metric } from '../http/metric.ts'
import { createAdmission, type Admission, type AdmissionOptions } from './admission.ts'
import type { Counters } from './counter.ts'
import { createFairUse, type FairUse, type Quotas } from './limits.ts'
import { createGuesses, type ChargeGuess, type GuessQuotas } from './guesses.ts'
import { createSlots, type SlotOverrides, type Slots } from './slots.ts'
import { createTurns, passwordBounds, type RunInTurn } from './turns.ts'

/** When all who wait now have been served. */
const PASSWORD_RETRY_SECONDS = 5

/** Keeps clients from using up what others need: hourly quotas, concurrent requests, and time of the event loop. */
export interface Limits extends FairUse {
  /** For long requests. */
  slots: Slots
  admission: Admission
  chargeGuess: ChargeGuess
  /** For the hashing of passwords. */
  passwordTurn: RunInTurn
  metrics: Metric[]
  close: () => Promise<void>
}

/** What the limits need from the rest of the program. */
export interface LimitsNeeds {
  quotas: Quotas
  guesses: GuessQuotas
  counters: Counters
  client: Pick<ClientAddress, 'of'>
  monotonic: () => number
  /** Called before each slice of work: answers visits, which must not wait for it. */
  beforeSlice: () => void
  /** Replace the default bounds. */
  slots?: SlotOverrides | undefined
  work?: AdmissionOptions['bounds']
  queueMs?: number | undefined
}

export function openLimits(needs: LimitsNeeds): Limits {
  const { quotas, guesses, counters, client, monotonic, beforeSlice, slots, work, queueMs } = needs
  return {
    ...createFairUse(quotas, counters, client, monotonic),
    slots: createSlots(client, slots),
    admission: createAdmission({ monotonic, beforeSlice, bounds: work, timeoutMs: queueMs }),
    chargeGuess: createGuesses(guesses, counters, client, monotonic),
    passwordTurn: createTurns(passwordBounds, PASSWORD_RETRY_SECONDS),
    metrics: counters.metrics,
    close: counters.close,
  }
}
