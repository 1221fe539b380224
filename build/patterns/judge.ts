import { checkSync } from 'recheck'

/** The fault of a regular expression; undefined if it takes linear time. */
export function faultOf(source: string, flags: string): string | undefined {
  const [ahead, rest] = splitAhead(source)
  if (ahead !== undefined) return faultOf(ahead, flags) ?? faultOf(rest, flags)
  const verdict = checkSync(source, flags, { checker: 'automaton', timeout: 60_000 })
  if (verdict.status === 'safe') return undefined
  if (verdict.status === 'unknown')
    return `cannot be proven (${'message' in verdict.error ? verdict.error.message : verdict.error.kind})`
  return `takes ${verdict.complexity.summary} time, for example on ${verdict.attack.pattern}`
}

/**
 * Splits off a look-ahead at the start, which the analyser does not support. A look-ahead that has matched does not backtrack, so
 * the whole takes the sum of the times of both parts.
 */
function splitAhead(source: string): [ahead: string | undefined, rest: string] {
  const start = /^\^\(\?[=!]/.exec(source)
  if (start === null) return [undefined, source]
  let depth = 1
  let isClass = false
  for (let at = start[0].length; at < source.length; at++) {
    const mark = source[at]
    if (mark === '\\') at++
    else if (mark === '[') isClass = true
    else if (mark === ']') isClass = false
    else if (!isClass && mark === '(') depth++
    else if (!isClass && mark === ')' && --depth === 0) {
      return [`^(?:${source.slice(start[0].length, at)})`, `^${source.slice(at + 1).replace(/^\^/, '')}`]
    }
  }
  return [undefined, source]
}
