import type { Scan } from '../scan.ts'

// The key of a visitor is 53 bits, the most that a number holds exactly. Its upper 36 stand for the link, the day and the
// address, so that the keys of one address are a range, in which a store counts them; its lower 17 for the user agent. Of
// 100,000 addresses that visit a link on a day, two share their upper bits once in two weeks; of two agents of one address,
// one in 131,072 is taken for the other.

/** The number of keys that one address has. */
export const KEYS_OF_ADDRESS = 2 ** 17

/** The least key of the address that a key is of. */
export function firstOfAddress(key: number): number {
  return key - (key % KEYS_OF_ADDRESS)
}

/** Joins the parts of a key; of each, only as many bits count as it has. */
export function joinKey(address: number, rest: number): number {
  return (address % 2 ** 36) * KEYS_OF_ADDRESS + ((rest >>> 0) % KEYS_OF_ADDRESS)
}

/**
 * The key of a person for a day: address, device, system and browser, whatever the user agent says beyond.
 * @param visitor the visitor's key
 */
export function personOf({ device, os, browser }: Scan, visitor: number): number {
  const first = firstOfAddress(visitor)
  return first + (fnv1a(`${first}|${device}|${os}|${browser}`) % KEYS_OF_ADDRESS)
}

/** FNV-1a of 32 bits: the address, which nobody outside knows, comes first. */
function fnv1a(text: string): number {
  let hash = 0x811c_9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193)
  // Its lower bits depend on the last characters least.
  return (hash ^ (hash >>> 15)) >>> 0
}
