import { isTimeZone } from '../../../lib/time-zone.ts'

/** When an event begins or ends, as the API has it: a day, or a day and a time with its offset, of the years 1900 to 2999. */
export const MOMENT_PATTERN =
  '^(?:19|2\\d)\\d\\d-\\d\\d-\\d\\d(?:T(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d{1,9})?)?(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d))?$'

/** Whether a moment is a whole day. */
export function isDay(moment: string): boolean {
  return !moment.includes('T')
}

/** Whether there is such a day. @param moment of the pattern */
export function isReal(moment: string): boolean {
  try {
    Temporal.PlainDate.from(moment.slice(0, 10), { overflow: 'reject' })
    return true
  } catch {
    return false
  }
}

/** Which of two real days or of two real times is earlier, as a sign. */
export function compareMoments(one: string, other: string): number {
  if (isDay(one)) return one < other ? -1 : Number(one > other)
  return Temporal.Instant.compare(one, other)
}

/** The offset of a time, as the name of a time zone. */
export function offsetOf(time: string): string {
  return time.endsWith('Z') ? 'UTC' : time.slice(-6)
}

/** What a clock shows at a moment: `2027-06-12T14:00`, with seconds when there are some; a day stays as it is. */
export function wallTime(moment: string, timeZone: string): string {
  if (isDay(moment)) return moment
  const wall = Temporal.Instant.from(moment).toZonedDateTimeISO(timeZone).toPlainDateTime()
  return wall.toString({ smallestUnit: wall.second === 0 ? 'minute' : 'second' })
}

/**
 * The moment at which a clock shows a time. Without such a time zone it is in UTC, and what is no time stays as it is: the
 * checks of the fields say what is wrong.
 */
export function momentAt(wall: string, timeZone: string): string {
  if (isDay(wall)) return wall
  if (!isTimeZone(timeZone) && !isOffset(timeZone)) return `${wall}Z`
  try {
    const zoned = Temporal.PlainDateTime.from(wall, { overflow: 'reject' }).toZonedDateTime(timeZone)
    return zoned.toString({ timeZoneName: 'never', smallestUnit: zoned.second === 0 ? 'minute' : 'second' })
  } catch {
    return `${wall}Z`
  }
}

/** Whether a text is an offset as moments have it. */
export function isOffset(text: string): boolean {
  return /^[+-](?:[01]\d|2[0-3]):[0-5]\d$/.test(text)
}
