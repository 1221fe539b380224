/** Offsets of time zones change at whole quarters of an hour only, so that one look-up holds for a quarter. */
const QUARTER_MS = 900_000
const MINUTE_MS = 60_000

export interface LocalTime {
  /** 0 is Monday (ISO 8601). */
  weekday: number
  /** Of the day, from 0. */
  minute: number
}

/** The local time at an instant, in milliseconds since 1970. */
export type LocalClock = (at: number) => LocalTime

/** The clock of a time zone, cheap for times in the same quarter of an hour. */
export function createLocalClock(timeZone: string): LocalClock {
  let quarter = Number.NaN
  let weekday = 0
  let start = 0
  return (at) => {
    const current = Math.floor(at / QUARTER_MS)
    if (current !== quarter) {
      const local = Temporal.Instant.fromEpochMilliseconds(current * QUARTER_MS).toZonedDateTimeISO(timeZone)
      quarter = current
      weekday = local.dayOfWeek - 1
      start = local.hour * 60 + local.minute
    }
    return { weekday, minute: start + Math.floor((at - current * QUARTER_MS) / MINUTE_MS) }
  }
}
