/**
 * Tells of each key whether it was told lately, in 4 bytes for each slot, a power of two: a key is forgotten when another
 * comes to its slot. Two keys may be taken for one another, which must do no harm.
 */
export function createSeenLately(slots: number): (key: string) => boolean {
  const latest = new Int32Array(slots)
  return (key) => {
    const hash = hashOf(key)
    const slot = hash & (slots - 1)
    const isSeen = latest[slot] === hash
    latest[slot] = hash
    return isSeen
  }
}

/** FNV-1a over UTF-16 units, http://www.isthe.com/chongo/tech/comp/fnv/ */
function hashOf(key: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
  return hash
}
