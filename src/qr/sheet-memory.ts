import { Problem } from '../http/problem.ts'
import { createFairPool } from '../lib/fair-pool.ts'
import { asHolder } from '../lib/holder.ts'
import { ofMemory } from '../lib/memory-limit.ts'
import type { Requester } from './pool/queue.ts'

/** What requests for sheets keep in memory until they are drawn. A request that waits for a thread has no place any longer. */
export interface SheetMemory {
  open: (requester: Requester) => HeldSheet
}

export interface HeldSheet {
  /**
   * Counts further bytes.
   * @throws {Problem} 503 when this request, or one of its holder, gives way to a smaller holder
   */
  add: (bytes: number) => void
  /** Aborts when the request gives way, with the problem as its reason, and when its client disconnects. */
  signal: AbortSignal
  /** To be called when the request has ended. */
  release: () => void
}

/** What one sheet takes at most: 1,000 codes of the longest links with rounded modules, as they are drawn, 8 MiB of designs, and their logos. */
const LARGEST_SHEET = 48 * 1024 * 1024
/** Bytes of designs and codes of all sheets that wait, or are drawn in parts. */
const MAX_BYTES = ofMemory(64 * 1024 * 1024, LARGEST_SHEET)

/** Bounds what sheets that wait keep in memory, which is shared fairly: past the bound, the latest of the largest holder gives way. */
export function createSheetMemory(capacity = MAX_BYTES): SheetMemory {
  const waiting = createFairPool<AbortController>({ capacity })
  return {
    open({ holder = asHolder(''), signal }) {
      const gaveWay = new AbortController()
      let held = 0
      return {
        add(bytes) {
          held += bytes
          gaveWay.signal.throwIfAborted()
          for (const each of waiting.put(gaveWay, holder, held)) each.abort(overloaded())
          gaveWay.signal.throwIfAborted()
        },
        signal: signal === undefined ? gaveWay.signal : AbortSignal.any([gaveWay.signal, signal]),
        release: () => void waiting.remove(gaveWay),
      }
    },
  }
}

function overloaded(): Problem {
  const detail = 'too many sheets with large designs are being drawn, try again in a moment'
  return new Problem('unavailable', detail, { headers: { 'retry-after': '5' } })
}
