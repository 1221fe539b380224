import { reasonOf } from '../lib/reason-of.ts'

/** How bad it is: a warning does not fail the command, a fault does. */
export type Verdict = 'ok' | 'warning' | 'fault'

/** The result of a check. */
export interface Finding {
  check: string
  verdict: Verdict
  /** One line: what was found, and what to do about it. */
  text: string
}

/** A finding before it has the name of its check. */
export type Result = Omit<Finding, 'check'>

/** One thing to look at. It returns nothing where there is nothing to look at. */
export interface Check {
  name: string
  /** @param signal aborted when its time is over */
  run: (signal: AbortSignal) => Promise<Result[]> | Result[]
}

export const ok = (text: string): Result => ({ verdict: 'ok', text })
export const warning = (text: string): Result => ({ verdict: 'warning', text })
export const fault = (text: string): Result => ({ verdict: 'fault', text })

/** How long a check may take, in milliseconds. */
export const CHECK_MS = 3000

/** Runs checks at the same time, each for a limited one. Resolves in their order; never rejects. */
export async function runChecks(checks: readonly Check[], ms = CHECK_MS): Promise<Finding[]> {
  const all = await Promise.all(checks.map((check) => runCheck(check, ms)))
  return all.flat()
}

async function runCheck({ name, run }: Check, ms: number): Promise<Finding[]> {
  const timeout = new AbortController()
  const { promise: late, resolve } = Promise.withResolvers<Result[]>()
  const timer = setTimeout(() => {
    timeout.abort()
    resolve([fault(`was not done within ${ms / 1000} seconds: what it asks does not answer`)])
  }, ms)
  try {
    const results = await Promise.race([Promise.resolve(timeout.signal).then(run), late])
    return results.map((result) => ({ check: name, ...result }))
  } catch (error) {
    return [{ check: name, ...fault(`could not be looked at: ${reasonOf(error)}`) }]
  } finally {
    clearTimeout(timer)
    timeout.abort()
  }
}

/** A number of days or hours, for people. */
export function ago(ms: number): string {
  const hours = Math.floor(ms / 3_600_000)
  if (hours < 1) return `${Math.max(0, Math.round(ms / 60_000))} minutes`
  return hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`
}
