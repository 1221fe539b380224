/**
 * The wait that the value of `Retry-After` asks for, in milliseconds: seconds or a date (RFC 9110, 10.2.3). Zero when it is over, undefined
 * when it is neither. The caller bounds it: it may be years.
 */
export function parseRetryAfter(value: string | null | undefined, now: number): number | undefined {
  const text = value?.trim() ?? ''
  if (/^\d+$/.test(text)) return Number(text) * 1000
  // Dates begin with the day of the week (RFC 9110, 5.6.7); the oldest form does not name its zone, which is the same.
  if (!/^[A-Za-z]{3}/.test(text)) return undefined
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
