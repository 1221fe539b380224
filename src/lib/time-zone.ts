/** Whether a time zone has this name in the IANA database; case is ignored. An offset such as +01:00 is no name. */
export function isTimeZone(name: string): boolean {
  // The default.
  if (name === 'UTC') return true
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    const { timeZoneId } = Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name)
    // Temporal also accepts times with an offset, such as T00+0130.
    return timeZoneId.toLowerCase() === name.toLowerCase()
  } catch {
    return false
  }
}
