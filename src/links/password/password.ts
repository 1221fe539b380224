import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { Holder } from '../../lib/holder.ts'
import type { Turns } from '../../lib/turns.ts'

declare const hashed: unique symbol

/** The scrypt hash of a password with its parameters, in the PHC string format. Only `Passwords` makes one. */
export type PasswordHash = string & { readonly [hashed]: true }

declare const verified: unique symbol

/** Proves that a visitor has entered the password with this hash. Only `verify` returns one. */
export interface RightPassword {
  readonly hash: PasswordHash
  readonly [verified]: true
}

/** Hashes and verifies passwords, a few at a time for all clients. */
export interface Passwords {
  /** @throws {Problem} 503 at once when too many wait */
  hash: (password: string, holder: Holder) => Promise<PasswordHash>
  /** Takes the same time for any password. @throws {Problem} 503 at once when too many wait */
  verify: (password: string, hash: PasswordHash, holder: Holder) => Promise<RightPassword | undefined>
}

/** The parameters of scrypt (RFC 7914, 2). */
export interface Cost {
  /** The binary logarithm of N. */
  ln: number
  r: number
  p: number
}

/** Derives a key of 32 bytes. */
export type Scrypt = (password: string, salt: Buffer, cost: Cost) => Promise<Buffer>

/** Recommended by OWASP's Password Storage Cheat Sheet; of its choices, the one with 32 MiB. */
const cost: Cost = { ln: 15, r: 8, p: 3 }
const SALT_BYTES = 16
const KEY_BYTES = 32

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt)

/** Runs in libuv's pool of threads. */
export const nodeScrypt: Scrypt = (password, salt, { ln, r, p }) => {
  const N = 2 ** ln
  return derive(password, salt, KEY_BYTES, { N, r, p, maxmem: 128 * r * (N + p + 2) })
}

export function createPasswords(runInTurn: Turns['run'], scrypt: Scrypt = nodeScrypt): Passwords {
  // The same characters, however a keyboard composes them.
  const run = (password: string, salt: Buffer, cost: Cost, holder: Holder) =>
    runInTurn({ holder }, () => scrypt(password.normalize('NFC'), salt, cost))
  return {
    async hash(password, holder) {
      const salt = randomBytes(SALT_BYTES)
      return format(salt, await run(password, salt, cost, holder))
    },
    async verify(password, hash, holder) {
      const { salt, key, cost } = parse(hash)
      const isRight = timingSafeEqual(await run(password, salt, cost, holder), key)
      return isRight ? ({ hash } as RightPassword) : undefined
    },
  }
}

function format(salt: Buffer, key: Buffer): PasswordHash {
  const [encodedSalt, encodedKey] = [salt, key].map((bytes) => bytes.toString('base64').replaceAll('=', ''))
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${encodedSalt}$${encodedKey}` as PasswordHash
}

function parse(hash: PasswordHash): { cost: Cost; salt: Buffer; key: Buffer } {
  const [, ln, r, p, salt = '', encoded = ''] =
    /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(hash) ?? []
  const key = Buffer.from(encoded, 'base64')
  if (key.length !== KEY_BYTES) throw new Error('the stored hash of a password is damaged')
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) }
  return { cost, salt: Buffer.from(salt, 'base64'), key }
}
