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
import { dateOfDay, dayOf } from '../calendar.ts'

// Unique visitors need a salt and the keys seen of each UTC day. Both are stored apart from the scans, and overwritten and
// unlinked when the day is over: from then on no one can find out whether an address was among the visitors.

const SALT_BYTES = 32
/** 48 bits: with 100,000 visitors of one link a day, two keys collide once in 56,000 days. */
const KEY_DIGITS = 12

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
  return {
    keyOf({ linkId, address, userAgent, bot }, at) {
      // Length extension does not matter here: the prefix is secret and of fixed length, the digest truncated and never shown.
      const text = `${saltOf(dayOf(at))}${linkId}|${bot ? 1 : 0}|${address}|${userAgent}`
      return Number.parseInt(hash('sha256', text, 'hex').slice(0, KEY_DIGITS), 16)
    },
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
