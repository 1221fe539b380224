import { XmlError } from './xml-reader.ts'

const number = /[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/iy
const counts: Record<string, number> = { m: 2, l: 2, h: 1, v: 1, c: 6, s: 4, q: 4, t: 2, a: 7, z: 0 }

/**
 * The commands of a path (SVG 1.1, 8.3.9), each with its own numbers.
 * @throws {XmlError} for a path that is not one
 */
export function* commandsOf(d: string): Generator<{ letter: string; values: number[] }> {
  const gap = /[\s,]*/y
  let at = 0
  const take = (pattern: RegExp) => {
    gap.lastIndex = at
    gap.exec(d)
    pattern.lastIndex = gap.lastIndex
    const [match] = pattern.exec(d) ?? []
    if (match !== undefined) at = pattern.lastIndex
    return match
  }
  let letter = ''
  while (at < d.trimEnd().length) {
    const own = take(/[a-z]/iy)
    // Coordinates without a letter go on as before; after a move they are lines.
    letter = own ?? (letter === 'm' ? 'l' : letter === 'M' ? 'L' : letter)
    const count = counts[letter.toLowerCase()]
    if (count === undefined || (own === undefined && count === 0)) throw damagedPath(d, at)
    const values = Array.from({ length: count }, (_, index) => {
      const isFlag = count === 7 && (index === 3 || index === 4)
      const value = Number(take(isFlag ? /[01]/y : number) ?? Number.NaN)
      if (!Number.isFinite(value)) throw damagedPath(d, at)
      return value
    })
    yield { letter, values }
  }
}

function damagedPath(d: string, at: number): XmlError {
  return new XmlError(`has a path that is damaged at "${d.slice(at, at + 20)}"`)
}
