const CODE = 'ERR_STATISTICS_GAVE_WAY'

/** Statistics that took so long that what waited for their end went on without it. */
export class GaveWay extends Error {
  readonly code = CODE
}

/** Whether an error is one, perhaps of another thread: messages between threads keep the code, not the class. */
export function hasGivenWay(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === CODE
}
