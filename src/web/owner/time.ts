/** A time to the minute, UTC, for people. */
export function minute(time: number): string {
  return new Date(time).toISOString().slice(0, 16).replace('T', ' ')
}
