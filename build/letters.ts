// Extracts the outlines of the letters of frames into src/qr/design/letters.txt, and copies the fonts of printed pages to src/qr/print/fonts.
// Both are committed. Run `npm run letters` after an
// update of the font or of opentype.js.
import { readFileSync, writeFileSync } from 'node:fs'
import { fontNames } from '../src/qr/print/fonts.ts'
// oxlint-disable-next-line import/default -- Node loads its CommonJS file, and makes its exports the default
import opentype, { type Font, type PathCommand } from 'opentype.js'

/** Invisible characters, which the text of a frame must not have. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

const packed = (name: string) => {
  const folder = /^Roboto-(Slab|Condensed)?/.exec(name)?.[1] ?? ''
  const family = folder === '' ? 'roboto' : `roboto-${folder.toLowerCase()}`
  return readFileSync(new URL(import.meta.resolve(`roboto-fontface/fonts/${family}/${name}.woff`)))
}

export function readRoboto(): Font {
  return opentype.parse(new Uint8Array(packed('Roboto-Bold')).buffer)
}

/** The fonts of printed pages, as files of the package: each name and content. */
export function readFonts(): [name: string, content: Buffer][] {
  return fontNames.map((name) => [`${name}.woff`, packed(name)])
}

/**
 * The outlines of all letters of Roboto Bold. The first line is the number of units per em; each other line has the width of a letter, the letter
 * itself, and its outline as SVG path data: commands m, l, q and z, relative, the y axis upwards.
 */
export function drawLetters(): string {
  const font = readRoboto()
  const lines = Array.from({ length: 0xffff }, (_, codePoint) => String.fromCodePoint(codePoint))
    .filter((letter) => !invisible.test(letter) && font.hasChar(letter))
    .map((letter) => {
      const { advanceWidth, path } = font.charToGlyph(letter)
      return `${advanceWidth} ${letter}${outlineOf(path.commands)}`
    })
  return `${[font.unitsPerEm, ...lines].join('\n')}\n`
}

type Point = [x: number, y: number]

function outlineOf(commands: readonly PathCommand[]): string {
  let outline = ''
  let from: Point = [0, 0]
  let start = from
  const relative = (...points: Point[]) =>
    points.flatMap(([x, y]) => [tenths(x - from[0]), tenths(y - from[1])]).join(' ')
  for (const [at, command] of commands.entries()) {
    if (command.type === 'C') throw new Error('a letter has a cubic curve')
    if (command.type === 'Z') {
      outline += 'z'
      from = start
      continue
    }
    const to: Point = [tenths(command.x), tenths(command.y)]
    // Closing a contour draws its last line.
    const isDrawn = command.type !== 'L' || (commands[at + 1]?.type !== 'Z' && String(to) !== String(from))
    if (!isDrawn) continue
    outline += command.type.toLowerCase()
    outline += command.type === 'Q' ? relative([command.x1, command.y1], to) : relative(to)
    if (command.type === 'M') start = to
    from = to
  }
  return outline
}

/** Rounds to tenths: the scaled parts of a composite letter have fractional coordinates. */
function tenths(value: number): number {
  return Math.round(value * 10) / 10
}

if (import.meta.main) {
  writeFileSync(new URL('../src/qr/design/letters.txt', import.meta.url), drawLetters())
  for (const [name, content] of readFonts())
    writeFileSync(new URL(`../src/qr/print/fonts/${name}`, import.meta.url), content)
}
