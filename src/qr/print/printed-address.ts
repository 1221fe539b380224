import { domainToUnicode } from 'node:url'

/** The small letters besides a to z that all fonts of pages and pictures have: Latin, Greek and Cyrillic ones. */
const settable = /^[\w.:[\]\u00df-\u017f\u03ac-\u03ce\u0430-\u045f-]+$/

/**
 * A short URL for those who type it from paper: without its scheme, and its host with umlauts in place of `xn--`, which nobody
 * would type, where the fonts can set them.
 * @param origin the scheme and host under which the link is printed
 */
export function printedAddress(origin: string, code: string): string {
  const { host, hostname, port } = new URL(origin)
  const readable = domainToUnicode(hostname) + (port && `:${port}`)
  return `${settable.test(readable) ? readable : host}/${code}`
}
