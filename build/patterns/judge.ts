import { checkSync, type UnknownDiagnostics } from 'recheck'

/**
 * Ends the check of a pattern that the analyser cannot handle. The costliest pattern takes less than a second, so that a
 * slow or busy machine does not change a verdict.
 */
const TIMEOUT_MS = 600_000

/** The fault of a regular expression; undefined if it takes linear time. */
export function faultOf(source: string, flags: string, timeout = TIMEOUT_MS): string | undefined {
  const [ahead, rest] = splitAhead(source)
  if (ahead !== undefined) return faultOf(ahead, flags, timeout) ?? faultOf(rest, flags, timeout)
  const verdict = checkSync(source, flags, { checker: 'automaton', timeout })
  if (verdict.status === 'safe') return undefined
  if (verdict.status === 'unknown') return undecided(verdict.error, timeout)
  return `takes ${verdict.complexity.summary} time, for example on ${verdict.attack.pattern}`
}

function undecided(error: UnknownDiagnostics['error'], timeout: number): string {
  if (error.kind === 'timeout')
    return `is undecided: the analyser has no result after ${timeout / 1000} s. Check again on an idle machine, or simplify it`
  return `cannot be proven (${'message' in error ? error.message : error.kind})`
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
