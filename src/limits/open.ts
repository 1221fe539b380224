import type { ClientAddress } from '../http/client-address.ts'
import { createAdmission, type Admission, type AdmissionOptions } from './admission.ts'
import { createFairUse, type FairUse, type Quotas } from './limits.ts'
import { createSlots, type SlotOverrides, type Slots } from './slots.ts'

/** Keeps clients from using up what others need: hourly quotas, concurrent requests, and time of the event loop. */
export interface Limits extends FairUse {
  /** For long requests. */
  slots: Slots
  admission: Admission
  /** Does nothing: timers run only while requests wait. */
  close: () => void
}

/** What the limits need from the rest of the program. */
export interface LimitsNeeds {
  quotas: Quotas
  client: Pick<ClientAddress, 'of'>
  monotonic: () => number
  /** Called before each slice of work: answers visits, which must not wait for it. */
  beforeSlice: () => void
  /** Replace the default bounds. */
  slots?: SlotOverrides | undefined
  work?: AdmissionOptions['bounds']
}

export function openLimits({ quotas, client, monotonic, beforeSlice, slots, work }: LimitsNeeds): Limits {
  return {
    ...createFairUse(quotas, client, monotonic),
    slots: createSlots(client, slots),
    admission: createAdmission({ monotonic, beforeSlice, bounds: work }),
    close() {},
  }
}
