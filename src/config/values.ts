// Parsers of settings. Each returns undefined for an invalid value.
import { isIP } from 'node:net'
import { ownValue } from '../lib/own-value.ts'

/**
 * Files and https URLs without duplicates. http is allowed on loopback, where no one can intercept it: tests and local
 * mirrors have no certificate.
 */
export function listSources(text: string): string[] | undefined {
  const sources = text.split(',').map((part) => part.trim())
  const isAllowed = (source: string) => {
    if (!/^[a-z][a-z\d+.-]*:\/\//i.test(source)) return source !== ''
    const url = URL.parse(source)
    if (url === null || url.username + url.password !== '') return false
    return (
      url.protocol === 'https:' ||
      (url.protocol === 'http:' && /^(?:127(?:\.\d+){3}|localhost|\[::1\])$/.test(url.hostname))
    )
  }
  return sources.every(isAllowed) ? [...new Set(sources)] : undefined
}

/** The lists of `ABUSE_FEEDS`. */
export interface AbuseFeeds {
  /** The files and URLs that the operator has named. */
  named: string[]
  /** Whether those that quirl recommends are used as well. */
  withRecommended: boolean
}

/** Files, https URLs and the word `recommended`; or `off` alone. */
export function abuseFeeds(text: string): AbuseFeeds | undefined {
  if (text === 'off') return { named: [], withRecommended: false }
  const sources = listSources(text)
  if (sources === undefined || sources.includes('off')) return undefined
  return {
    named: sources.filter((source) => source !== 'recommended'),
    withRecommended: sources.includes('recommended'),
  }
}

/** Sources of geolocation data; an empty list for `off`. */
export function placeSources(text: string): string[] | undefined {
  const sources = text === 'off' ? [] : listSources(text)
  return sources?.includes('off') ? undefined : sources
}

/** The operator's contact as a URI, which security.txt requires. */
export function contactUri(text: string): string | undefined {
  const address = text.replace(/^mailto:/i, '')
  if (/^[^\s@:/?#<>"]+@[\w.-]+\.[\w-]+$/.test(address)) return `mailto:${address}`
  return /^https:\/\/\S+$/.test(text) ? URL.parse(text)?.href : undefined
}

/** A parser of one of some words, each of which stands for a value. */
export function oneOf<T>(words: Record<string, T>): (text: string) => T | undefined {
  return (text) => ownValue(words, text)
}

export const onOrOff = oneOf({ on: true, off: false })

/** A whole number within its bounds, written in decimal digits. */
export function integer(text: string, min: number, max: number): number | undefined {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  return value >= min && value <= max ? value : undefined
}

const DAY_MS = 86_400_000

/** A duration in milliseconds. */
export function retention(text: string): number | undefined {
  if (text === 'forever') return Number.POSITIVE_INFINITY
  const days = integer(text.replace(/d$/, ''), 1, 36_500)
  return text.endsWith('d') && days !== undefined ? days * DAY_MS : undefined
}

const UNITS: Record<string, number> = { M: 2 ** 20, G: 2 ** 30 }

/** A size in bytes; 0 for `off`. */
export function diskFloor(text: string): number | 'auto' | undefined {
  if (text === 'auto') return 'auto'
  if (text === 'off') return 0
  const unit = ownValue(UNITS, text.slice(-1))
  const size = integer(text.slice(0, -1), 1, 1_000_000)
  return unit === undefined || size === undefined ? undefined : size * unit
}

/** An origin without a trailing slash. */
export function origin(text: string): string | undefined {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  return url.username + url.password + url.search + url.hash === '' && url.pathname === '/' ? url.origin : undefined
}

/** A comma-separated list of IP addresses, each with or without a port. */
export function parseServers(text: string): string[] | undefined {
  const servers = text.split(',').map((part) => part.trim())
  const isServer = (server: string) => {
    const found = /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(server)
    const [, six, four, port = '53'] = found ?? [server, server]
    return isIP(six ?? four ?? '') !== 0 && Number(port) >= 1 && Number(port) <= 65_535
  }
  return servers.every(isServer) ? servers : undefined
}

/** The request header in which each content delivery network sends the visitor's country. */
const countryHeaders: Record<string, string> = {
  cloudflare: 'cf-ipcountry',
  vercel: 'x-vercel-ip-country',
  cloudfront: 'cloudfront-viewer-country',
}

/** The country header of a network; undefined for an unknown network. */
export function countryHeader(network: string): string | undefined {
  return ownValue(countryHeaders, network)
}
