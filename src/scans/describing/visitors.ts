import { hash, randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { createBoundedCache } from '../../lib/bounded-cache.ts'
import { dateOfDay, dayOf } from '../calendar.ts'
import { joinKey } from './visitor-key.ts'

// Unique visitors need a salt and the keys seen of each UTC day. Both are stored apart from the scans, and overwritten and
// unlinked when the day is over: from then on no one can find out whether an address was among the visitors.

const SALT_BYTES = 32
/** Digits of a digest that are taken for the address, and for the agent. */
const [ADDRESS_DIGITS, AGENT_DIGITS] = [9, 8]
/** User agents whose digest is cached, in bytes; a visitor's whole agent has less than this many characters. */
const [CACHE_BYTES, MAX_CACHED] = [1_000_000, 512]
/** The memory of an entry beside its text. */
const ENTRY_BYTES = 100

/** What identifies a visitor. None of it is ever written anywhere. */
export interface Visitor {
  linkId: number
  /** The address, IPv6 shortened to its /64. */
  address: string
  userAgent: string
  bot: boolean
}

/** Computes the keys of visitors, on the main thread. */
export interface VisitorKeys {
  keyOf: (visitor: Visitor, at: number) => number
}

/** @param saltOf returns the salt of a UTC day */
export function createVisitorKeys(saltOf: (day: number) => string): VisitorKeys {
  const agentOf = createAgentDigest()
  return {
    keyOf({ linkId, address, userAgent, bot }, at) {
      const salt = saltOf(dayOf(at))
      // Length extension does not matter here: the prefix is secret and of fixed length, the digest truncated and never shown.
      const digest = hash('sha256', `${salt}${linkId}|${bot ? 1 : 0}|${address}`, 'hex')
      const pad = Number.parseInt(digest.slice(ADDRESS_DIGITS, ADDRESS_DIGITS + AGENT_DIGITS), 16)
      // Padded, so that nobody sees that two addresses have the same agent.
      return joinKey(Number.parseInt(digest.slice(0, ADDRESS_DIGITS), 16), pad ^ agentOf(salt, userAgent))
    },
  }
}

/** Digests user agents, which are a few for most visits: the digests of a day are cached. */
function createAgentDigest(): (salt: string, userAgent: string) => number {
  const cache = createBoundedCache<number>(CACHE_BYTES)
  let saltOfCache = ''
  const digest = (salt: string, userAgent: string) =>
    Number.parseInt(hash('sha256', `${salt}agent|${userAgent}`, 'hex').slice(0, AGENT_DIGITS), 16)
  return (salt, userAgent) => {
    // A slice of a longer header would retain the whole.
    if (userAgent.length >= MAX_CACHED) return digest(salt, userAgent)
    if (salt !== saltOfCache) {
      cache.clear()
      saltOfCache = salt
    }
    const known = cache.get(userAgent)
    if (known !== undefined) return known
    const bits = digest(salt, userAgent)
    cache.set(userAgent, bits, 2 * userAgent.length + ENTRY_BYTES)
    return bits
  }
}

/** A random salt. */
export function newSalt(): string {
  return randomBytes(SALT_BYTES).toString('hex')
}

/** @param folder holds the salts; a day's salt is synced to the disk before its first key is used, unless the disk is full */
export function openVisitorKeys(folder: string): VisitorKeys {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  let day = Number.NaN
  let salt = ''
  return createVisitorKeys((today) => {
    if (today !== day) {
      salt = saltOf(folder, today)
      day = today
    }
    return salt
  })
}

function saltOf(folder: string, day: number): string {
  const file = join(folder, `${dateOfDay(day)}.salt`)
  if (existsSync(file)) {
    const stored = readFileSync(file, 'latin1')
    if (stored.length === SALT_BYTES * 2) return stored
  }
  const salt = newSalt()
  try {
    writeFileSync(file, salt, { mode: 0o600, flush: true })
  } catch {
    // A full disk must not fail visits. The salt stays in memory; only a restart within the day counts its visitors again.
  }
  return salt
}

/** The database of a day's keys. */
export function keysFile(folder: string, day: number): string {
  return join(folder, `${dateOfDay(day)}.keys`)
}

/** Destroys the salts and keys of every day before this one: overwritten on the disk, then unlinked. */
export function destroyBefore(folder: string, day: number): void {
  const today = dateOfDay(day)
  for (const name of readdirSync(folder)) {
    if (/^\d{4}-\d\d-\d\d\./.test(name) && name.slice(0, 10) < today) overwriteAndUnlink(join(folder, name))
  }
}

/** Destroys the keys of a day, but not its salt. */
export function destroyKeys(folder: string, day: number): void {
  const file = keysFile(folder, day)
  for (const name of [file, `${file}-journal`]) if (existsSync(name)) overwriteAndUnlink(name)
}

function overwriteAndUnlink(file: string): void {
  const descriptor = openSync(file, 'r+')
  try {
    const zeros = Buffer.alloc(1 << 16)
    const { size } = statSync(file)
    for (let at = 0; at < size; at += zeros.length)
      writeSync(descriptor, zeros, 0, Math.min(zeros.length, size - at), at)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  unlinkSync(file)
}
