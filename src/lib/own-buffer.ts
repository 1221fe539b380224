/**
 * Copies bytes into memory of their own, for a cache. `Buffer.from` puts a copy of up to 32 KiB into a slab of 64 KiB that it shares
 * with others, and all of that stays as long as one of them: an image of 1 KiB in a cache would take 64.
 */
export function ownBuffer(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  copy.set(bytes)
  return copy
}
