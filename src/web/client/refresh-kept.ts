import { keepLinks, readKept, writeKept, type KeptLink } from '../my-links/kept-links.ts'
import { keptStorage } from './kept-storage.ts'

/** A link that is kept has perhaps a new key or title, which the browser then keeps instead; returns whether it is kept. */
export function refreshKept(link: KeptLink): boolean {
  const kept = readKept(keptStorage)
  const isKept = kept.some(({ code }) => code.toLowerCase() === link.code.toLowerCase())
  return isKept && writeKept(keptStorage, keepLinks(kept, [link]))
}
