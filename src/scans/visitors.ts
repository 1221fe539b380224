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
import { dateOfDay, dayOf } from './calendar.ts'

// What tells a visitor's second visit of a day from another visitor's first lives here, a salt and the keys seen of each
// UTC day, apart from the scans. When the day is over it is overwritten and gone, and no one can find out any more
// whether an address was among the visitors.

const SALT_BYTES = 32
/** 48 bits: of 100,000 visitors of one link on one day, one pair in 56,000 days is taken for the same. */
const KEY_DIGITS = 12

/** Whom a visit is from, as far as it may be told. None of this is ever written anywhere. */
export interface Visitor {
  linkId: number
  /** The address, IPv6 shortened to its /64. */
  address: string
  userAgent: string
  bot: boolean
}

/** Makes the keys of visitors, on the thread of the visits. */
export interface VisitorKeys {
  keyOf: (visitor: Visitor, at: number) => number
}

/** @param folder holds the salts; a day's salt is on the disk before its first key is used, if there is space for it */
export function openVisitorKeys(folder: string): VisitorKeys {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  let day = Number.NaN
  let salt = ''
  return {
    keyOf({ linkId, address, userAgent, bot }, at) {
      const today = dayOf(at)
      if (today !== day) {
        salt = saltOf(folder, today)
        day = today
      }
      // A secret prefix of fixed length makes a plain hash safe here: the result is truncated and never shown.
      const digest = hash('sha256', `${salt}${linkId}|${bot ? 1 : 0}|${address}|${userAgent}`, 'hex')
      return Number.parseInt(digest.slice(0, KEY_DIGITS), 16)
    },
  }
}

function saltOf(folder: string, day: number): string {
  const file = join(folder, `${dateOfDay(day)}.salt`)
  if (existsSync(file)) {
    const kept = readFileSync(file, 'latin1')
    if (kept.length === SALT_BYTES * 2) return kept
  }
  const salt = randomBytes(SALT_BYTES).toString('hex')
  try {
    writeFileSync(file, salt, { mode: 0o600, flush: true })
  } catch {
    // A full disk must not keep visits from being answered. The salt serves from memory; only a restart within the day
    // would count its visitors again.
  }
  return salt
}

/** Where a day's keys are kept. */
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

/** Destroys the keys of a day, and not its salt. */
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
