/**
 * A visitor's share in a draw: from 0 (included) to 100, the same for the same visitor and draw, uniform over visitors,
 * and independent between draws.
 * @param visitor the 48 bits that identify a visitor for a day
 */
export function shareOf(visitor: number, draw: number): number {
  const [high, low] = [Math.floor(visitor / 2 ** 32), visitor >>> 0]
  const mixed = mix(mix(low ^ Math.imul(draw + 1, 0x9e37_79b1)) ^ high)
  return (mixed / 2 ** 32) * 100
}

/** Each bit of the result depends on each bit of the argument: the finalizer of MurmurHash3. */
function mix(bits: number): number {
  const first = Math.imul(bits ^ (bits >>> 16), 0x85eb_ca6b)
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2_ae35)
  return (second ^ (second >>> 16)) >>> 0
}
