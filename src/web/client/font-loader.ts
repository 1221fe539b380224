import { readFont, type Font } from '../../qr/design/font.ts'

/** The font of designs without a text. */
export const noFont: Font = { missing: () => [], width: () => 0, draw: () => undefined }

/** Loads the font for the texts of frames at first use. */
export interface FontLoader {
  /** Undefined until it is loaded. */
  font: Font | undefined
  /** Concurrent calls share one request. Resolves with whether the font is loaded. */
  load: () => Promise<boolean>
}

export function createFontLoader(url: string): FontLoader {
  let loading: Promise<boolean> | undefined
  const loader: FontLoader = {
    font: undefined,
    load: () => (loading ??= fetchFont().finally(() => (loading = undefined))),
  }
  async function fetchFont(): Promise<boolean> {
    try {
      const response = await fetch(url)
      if (!response.ok) return false
      loader.font = readFont(await response.text())
      return true
    } catch {
      return false
    }
  }
  return loader
}
