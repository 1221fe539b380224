import type { Urgency } from '../database.ts'

/** The disk of the file, of which a part is reserved. */
export interface DiskSpace {
  /** Whether it is full, so that only urgent changes are made. */
  isFull: () => boolean
  /** Whether of the reserve of a full disk only that part is left which is for what is more urgent. */
  isSpent: (urgency: Urgency) => boolean
  /** Makes it full, and releases the reserve. */
  release: () => void
}
