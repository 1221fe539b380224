import type { ClientAddress } from '../http/client-address.ts'
import { createAdmission, type Admission, type AdmissionOptions } from './admission.ts'
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
  /** Does nothing: timers run only while requests wait. */
  close: () => void
}

/** What the limits need from the rest of the program. */
export interface LimitsNeeds {
  quotas: Quotas
  guesses: GuessQuotas
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
  const { quotas, guesses, client, monotonic, beforeSlice, slots, work, queueMs } = needs
  return {
    ...createFairUse(quotas, client, monotonic),
    slots: createSlots(client, slots),
    admission: createAdmission({ monotonic, beforeSlice, bounds: work, timeoutMs: queueMs }),
    chargeGuess: createGuesses(guesses, client, monotonic),
    passwordTurn: createTurns(passwordBounds, PASSWORD_RETRY_SECONDS),
    close() {},
  }
}
