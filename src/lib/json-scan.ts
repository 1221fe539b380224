/** The text is not JSON, is more than is taken, or is JSON that two readers could understand differently. */
export class JsonError extends Error {}

/** Deeper nesting than any request needs; it bounds every recursive walk over what was parsed. */
const MAX_DEPTH = 32
/** More characters than any program writes for a number; thousands of digits would take long to read. */
const MAX_WORD = 64

const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const LIST = 0x5b
const BACKSLASH = 0x5c
const LIST_END = 0x5d
const OBJECT = 0x7b
const OBJECT_END = 0x7d

/** What was seen before a place in a text. */
export interface Seen {
  at: number
  values: number
  /** Names of objects. */
  names: number
}

/** A look at each character of a text, which can stop on the way and go on later. */
export interface JsonScan {
  /** Looks at everything before `end`. Throws a JsonError for what is over a bound. */
  advance: (end: number) => void
  seen: () => Seen
  /** What was seen at each comma that parts the items of the outermost list. */
  commas: () => readonly Seen[]
}

/**
 * Counts what is in a JSON text before anything is built of it. What it counts is right for JSON; a text that is none
 * does not parse afterwards.
 * @param maxValues values in all, names not counted
 */
export function scanJson(text: string, maxValues: number): JsonScan {
  const commas: Seen[] = []
  let next = 0
  let isInside = false
  let depth = 0
  let names = 0
  // Each value but the first follows a comma, or opens what it stands in.
  let values = 1
  // Where the number or word that stands here begins.
  let word = 0

  function requireShort(at: number): void {
    if (at - word <= MAX_WORD) return
    throw new JsonError(`the body has a number of more than ${MAX_WORD} characters, or is not valid JSON`)
  }

  function take(char: number, at: number): void {
    requireShort(at)
    word = at + 1
    if (char === COLON) names++
    else if (char === LIST_END || char === OBJECT_END) depth--
    else if (char > SPACE) count(char, at)
  }

  function count(char: number, at: number): void {
    if (++values > maxValues) throw new JsonError(`the body holds more than ${maxValues} values`)
    if (char === COMMA) {
      if (depth === 1) commas.push({ at, values, names })
    } else if (++depth > MAX_DEPTH) throw new JsonError(`the body is nested deeper than ${MAX_DEPTH} levels`)
  }

  return {
    seen: () => ({ at: next, values, names }),
    commas: () => commas,
    advance(end) {
      let at = next
      let inString = isInside
      for (; at < end; at++) {
        const char = text.charCodeAt(at)
        if (inString) {
          if (char === BACKSLASH) at++
          else if (char === QUOTE) {
            inString = false
            word = at + 1
          }
        } else if (char === QUOTE) inString = true
        else if (char <= SPACE || isMark(char)) take(char, at)
      }
      if (!inString) requireShort(at)
      next = at
      isInside = inString
    },
  }
}

function isMark(char: number): boolean {
  return (
    char === COMMA || char === COLON || char === LIST || char === LIST_END || char === OBJECT || char === OBJECT_END
  )
}
