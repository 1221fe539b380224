/**
 * Remembers recent keys in 4 bytes per slot, until another key takes the slot. Two keys may collide, which callers must
 * tolerate.
 * @param slots a power of two
 * @returns whether a key is a recent one, and remembers it
 */
export function createRecentKeys(slots: number): (key: string) => boolean {
  const latest = new Int32Array(slots)
  return (key) => {
    const hash = hashOf(key)
    const slot = hash & (slots - 1)
    const isRecent = latest[slot] === hash
    latest[slot] = hash
    return isRecent
  }
}

/** FNV-1a over UTF-16 units, http://www.isthe.com/chongo/tech/comp/fnv/ */
function hashOf(key: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
  return hash
}
