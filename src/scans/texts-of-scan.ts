import type { Scan } from './scan.ts'

/** The texts of a scan's values, in the order of the dimensions; null for an unknown one. */
export function textsOf(scan: Scan): (string | null)[] {
  const { source, device, os, browser, country, city, referrer, answer } = scan
  const place = city === null ? null : joinCity(city, country)
  return [source, device, os, browser, country, place, referrer, answer === null ? null : String(answer)]
}

/** Cities of the same name in two countries are two values. */
export function joinCity(city: string, country: string | null): string {
  return `${city}\t${country ?? ''}`
}

/** Splits what `joinCity` joined. */
export function splitCity(text: string | null): { city: string | null; country: string | null } {
  const [city = null, country = ''] = text?.split('\t') ?? []
  return { city, country: country || null }
}
