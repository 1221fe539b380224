const UNAVAILABLE = 'ERR_STORE_UNAVAILABLE'
const HELD = 'ERR_CHANGES_HELD'
const FULL = 'ERR_DISK_FULL'
const BUSY = 'ERR_STORE_BUSY'

/** The outcome of a change is unknown, or the store cannot be reached, or is being reopened. */
export class StoreUnavailable extends Error {
  readonly code: string = UNAVAILABLE
}

/** Changes are refused while the store is moved to another place. Reads go on. */
export class ChangesHeld extends StoreUnavailable {
  override readonly code = HELD
}

/** Other work has what this one waited for in vain: a connection, or what it has locked. That says nothing of the store. */
export class StoreBusy extends StoreUnavailable {
  override readonly code = BUSY
}

/** Changes are refused while the disk is full, but for those that must be possible. Nothing was changed. */
export class DiskFull extends StoreUnavailable {
  override readonly code = FULL
}

/** Whether an error is a `StoreUnavailable`, perhaps of another thread: messages between threads keep the code, not the class. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof StoreUnavailable || [UNAVAILABLE, HELD, FULL, BUSY].includes(codeOf(error))
}

/** Whether an error says no more than that the store did not answer, or answered too late. */
export function isAway(error: unknown): boolean {
  return codeOf(error) === UNAVAILABLE
}

/** The same for a `ChangesHeld`. */
export function isHeld(error: unknown): boolean {
  return error instanceof ChangesHeld || codeOf(error) === HELD
}

/** The same for a `StoreBusy`. */
export function isBusy(error: unknown): boolean {
  return error instanceof StoreBusy || codeOf(error) === BUSY
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
