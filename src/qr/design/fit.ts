import type { Font } from './font.ts'

/** A text in lines of one height. */
export interface Fitted {
  lines: string[]
  height: number
}

/** Of the letters and digits of a text, the share that the font must have for the text to be drawn without the others. */
const MIN_DRAWABLE = 0.7

/** A text in one line without the characters that the font does not have; empty when too much of it would be missing. */
export function drawable(font: Font, text: string): string {
  const composed = text.normalize('NFC')
  const missing = new Set(font.missing(composed))
  const kept = Array.from(composed, (character) => {
    if (/\s/.test(character)) return ' '
    return missing.has(character) ? '' : character
  }).join('')
  const letters = (of: string) => of.match(/[\p{L}\p{N}]/gu)?.length ?? 0
  return letters(kept) === 0 || letters(kept) < MIN_DRAWABLE * letters(composed)
    ? ''
    : kept.replaceAll(/ +/g, ' ').trim()
}

/** Breaks a text into lines at the first of these heights at which it fits; at the last one, the rest becomes "…". */
export function fit(
  font: Font,
  text: string,
  { width, lines: max, heights }: { width: number; lines: number; heights: readonly [number, ...number[]] },
): Fitted {
  let fitted: Fitted = { lines: [], height: heights[0] }
  for (const height of heights) {
    fitted = { lines: breakLines(font, text, width / height), height }
    if (fitted.lines.length <= max) return fitted
  }
  const lines = fitted.lines.slice(0, max)
  const last = Array.from(lines.pop() ?? '')
  while (last.length > 0 && font.width(`${last.join('')}…`) > width / fitted.height) last.pop()
  return { lines: [...lines, `${last.join('').trimEnd()}…`], height: fitted.height }
}

/** Breaks a text into lines. @param width for letters of height 1 */
export function breakLines(font: Pick<Font, 'width'>, text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  let used = 0
  const space = font.width(' ')
  const end = () => {
    if (line !== '') lines.push(line)
    ;[line, used] = ['', 0]
  }
  for (const word of text.split(' ')) {
    const size = font.width(word)
    if (line !== '' && used + space + size <= width) {
      line += ` ${word}`
      used += space + size
      continue
    }
    end()
    // Kerning makes a word narrower than its letters.
    if (size <= width) {
      ;[line, used] = [word, size]
      continue
    }
    for (const character of word) {
      const next = font.width(character)
      if (used + next > width) end()
      line += character
      used += next
    }
  }
  end()
  return lines
}
