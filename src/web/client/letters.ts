import { readFont, type Font } from '../../qr/design/font.ts'

/** For designs without a text. */
export const noFont: Font = { missing: () => [], width: () => 0, draw: () => undefined }

/** The font of the frames' texts, which is loaded when it is first asked for. */
export interface Letters {
  /** Undefined until it is there. */
  font: Font | undefined
  /** Loads it, once at a time; whether it is there then. */
  load: () => Promise<boolean>
}

export function createLetters(url: string): Letters {
  let loading: Promise<boolean> | undefined
  const letters: Letters = {
    font: undefined,
    load: () => (loading ??= fetchFont().finally(() => (loading = undefined))),
  }
  async function fetchFont(): Promise<boolean> {
    try {
      const response = await fetch(url)
      if (!response.ok) return false
      letters.font = readFont(await response.text())
      return true
    } catch {
      return false
    }
  }
  return letters
}
