import { keptStorage } from './kept-storage.ts'

/** Pixels of the device that this screen has where CSS has one at no zoom: zooming does not change it. */
const NAME = 'quirl.screen'

/** How much larger than by CSS a millimetre is on this screen, in CSS pixels; undefined for one that was not compared. */
export function readScreen(): number | undefined {
  try {
    const kept = Number(keptStorage.getItem(NAME) ?? '')
    return kept > 0 && Number.isFinite(kept) ? kept / devicePixelRatio : undefined
  } catch {
    return undefined
  }
}

/** @returns whether the browser keeps it */
export function keepScreen(factor: number): boolean {
  try {
    keptStorage.setItem(NAME, String(factor * devicePixelRatio))
    return true
  } catch {
    return false
  }
}

export function forgetScreen(): void {
  try {
    keptStorage.removeItem(NAME)
  } catch {
    // Then it keeps nothing.
  }
}
