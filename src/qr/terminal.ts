import type { QrSymbol } from './encoder/encoder.ts'

const BLACK_ON_WHITE = '\x1b[30;107m'
const RESET = '\x1b[0m'

/** Two modules above each other: both light, the lower dark, the upper dark, both dark. */
const halves = [' ', '▄', '▀', '█'] as const

/**
 * Renders a symbol with its quiet zone for a terminal, two rows of modules per line. It sets black on white, whatever the
 * colours of the terminal are.
 */
export function renderTerminal({ size, modules }: QrSymbol, margin: number): string {
  const isDark = (x: number, y: number) => x >= 0 && x < size && y >= 0 && y < size && modules[y * size + x] === 1
  const lines: string[] = []
  for (let y = -margin; y < size + margin; y += 2) {
    let line = ''
    for (let x = -margin; x < size + margin; x++) {
      line += halves[((isDark(x, y) ? 2 : 0) + (isDark(x, y + 1) ? 1 : 0)) as 0]
    }
    lines.push(BLACK_ON_WHITE + line + RESET)
  }
  return lines.join('\n')
}
