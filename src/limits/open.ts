import type { ClientAddress } from '../http/client-address.ts'
import { createAdmission, type Admission, type AdmissionOptions } from './admission.ts'
import { createPlaces, type PlaceBounds, type Places } from './at-once.ts'
import { createFairUse, type FairUse, type Quotas } from './limits.ts'

/** Keeps clients from taking what others need: by the hour, at the same time, and in each turn of the event loop. */
export interface Limits extends FairUse {
  /** For requests that last. */
  slots: Places
  admission: Admission
  /** Nothing goes on when nothing waits. */
  close: () => void
}

/** What the limits need of the rest of the program. */
export interface LimitsNeeds {
  quotas: Quotas
  client: Pick<ClientAddress, 'of'>
  monotonic: () => number
  /** Called before each slice of work: answers what must not wait for it. */
  first: () => void
  /** Bounds in place of the usual ones. */
  slots?: PlaceBounds | undefined
  work?: AdmissionOptions['bounds']
}

export function openLimits({ quotas, client, monotonic, first, slots, work }: LimitsNeeds): Limits {
  return {
    ...createFairUse(quotas, client, monotonic),
    slots: createPlaces(client, slots),
    admission: createAdmission({ monotonic, first, bounds: work }),
    close() {},
  }
}
