/** The text is not JSON, exceeds a bound, or is ambiguous JSON. */
export class JsonError extends Error {}

/** Deeper nesting than any request needs; it bounds every recursive walk over parsed values. */
const MAX_DEPTH = 32
/** Longer than any number that a program writes; parsing thousands of digits takes long. */
const MAX_LITERAL = 64

const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const LIST = 0x5b
const BACKSLASH = 0x5c
const LIST_END = 0x5d
const OBJECT = 0x7b
const OBJECT_END = 0x7d

/** Counts up to a position in a text. */
export interface Position {
  at: number
  values: number
  /** Names of objects. */
  names: number
}

/** A scan of a JSON text, which can pause and resume. */
export interface JsonScan {
  /** Scans everything before `end`. Throws a JsonError for what exceeds a bound. */
  advance: (end: number) => void
  position: () => Position
  /** The positions of the commas at the depth of the rows. */
  commas: () => readonly Position[]
  /** The number of commas outside of that depth. */
  outerCommas: () => number
}

/**
 * Counts values and names in a JSON text before anything is built from it. The counts are correct for valid JSON; invalid
 * JSON fails to parse afterwards.
 * @param maxValues values in all, names not counted
 * @param rowDepth the depth of the rows: 1 when the outermost list has them
 */
export function scanJson(text: string, maxValues: number, rowDepth = 1): JsonScan {
  const tokens = createTokenCounts(maxValues, rowDepth)
  let next = 0
  let isInside = false
  return {
    position: () => ({ at: next, values: tokens.values(), names: tokens.names() }),
    commas: tokens.commas,
    outerCommas: tokens.outerCommas,
    advance(end) {
      let at = next
      let inString = isInside
      for (; at < end; at++) {
        const char = text.charCodeAt(at)
        if (inString) {
          if (char === BACKSLASH) at++
          else if (char === QUOTE) {
            inString = false
            tokens.beginLiteral(at + 1)
          }
        } else if (char === QUOTE) inString = true
        else if (char <= SPACE || isStructural(char)) tokens.count(char, at)
      }
      if (!inString) tokens.requireShortLiteral(at)
      next = at
      isInside = inString
    },
  }
}

/** Counts the tokens outside of strings. */
function createTokenCounts(maxValues: number, rowDepth: number) {
  const commas: Position[] = []
  let outerCommas = 0
  let depth = 0
  let names = 0
  // Each value but the first follows a comma, or the bracket of its list or object.
  let values = 1
  // The start of the current number, `true`, `false` or `null`.
  let literal = 0

  function requireShortLiteral(at: number): void {
    if (at - literal <= MAX_LITERAL) return
    throw new JsonError(`the body has a number of more than ${MAX_LITERAL} characters, or is not valid JSON`)
  }

  function countValue(char: number, at: number): void {
    if (++values > maxValues) throw new JsonError(`the body has more than ${maxValues} values`)
    if (char === COMMA) {
      if (depth === rowDepth) commas.push({ at, values, names })
      else if (depth < rowDepth) outerCommas++
    } else if (++depth > MAX_DEPTH) throw new JsonError(`the body is nested deeper than ${MAX_DEPTH} levels`)
  }

  return {
    values: () => values,
    names: () => names,
    commas: () => commas,
    outerCommas: () => outerCommas,
    beginLiteral: (at: number) => void (literal = at),
    requireShortLiteral,
    /** Counts a structural character or whitespace. */
    count(char: number, at: number) {
      requireShortLiteral(at)
      literal = at + 1
      if (char === COLON) names++
      else if (char === LIST_END || char === OBJECT_END) depth--
      else if (char > SPACE) countValue(char, at)
    },
  }
}

function isStructural(char: number): boolean {
  return (
    char === COMMA || char === COLON || char === LIST || char === LIST_END || char === OBJECT || char === OBJECT_END
  )
}
