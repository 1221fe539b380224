const DAY_MS = 86_400_000
const SLOT_MS = 900_000
/** Quarters of an hour of a UTC day. */
export const SLOTS_OF_DAY = 96

/** The UTC day of a time in milliseconds, counted from 1970-01-01. */
export function dayOf(at: number): number {
  return Math.floor(at / DAY_MS)
}

/** The quarter of an hour of a time, counted from 1970. The offset of every time zone today is a multiple of it. */
export function slotOf(at: number): number {
  return Math.floor(at / SLOT_MS)
}

/** The UTC month of a time, counted from January 1970. */
export function monthOf(at: number): number {
  const date = new Date(at)
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()
}

/** The first day of a month, both counted as above. */
export function firstDayOfMonth(month: number): number {
  return dayOf(Date.UTC(1970, month, 1))
}

/** A UTC day as `YYYY-MM-DD`. */
export function dateOfDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}

/** A UTC month as `YYYY-MM`. */
export function dateOfMonth(month: number): string {
  return new Date(Date.UTC(1970, month, 1)).toISOString().slice(0, 7)
}

/** The time at which a UTC day begins. */
export function startOfDay(day: number): number {
  return day * DAY_MS
}

/** The time at which a quarter of an hour begins. */
export function startOfSlot(slot: number): number {
  return slot * SLOT_MS
}
