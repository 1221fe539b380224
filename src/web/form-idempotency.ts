import { hash } from 'node:crypto'

/** How long the outcome of a form is kept for a second press of its button, or a reload of the response. */
const RETENTION_MS = 60_000
const MAX_OUTCOMES = 500

/** The field that makes each rendered form another one: the same form from a page that was loaded again is no retry. */
export const FORM_KEY = 'idempotency_key'

/** Runs each form once: who sends it twice gets the outcome of the first. */
export interface FormIdempotency<T> {
  /** @param scope whose form it is; the last outcome of each scope is kept */
  run: (scope: string, form: URLSearchParams, act: () => Promise<T>) => Promise<T>
  /** Whether an outcome of this scope is kept. */
  has: (scope: string) => boolean
}

/**
 * In memory, as an outcome may hold a secret that is stored nowhere: with several processes, a retry that reaches another one
 * runs there, where the revision of the link protects it.
 * @param isKept whether a retry gets this outcome; one that changed nothing runs again
 */
export function createFormIdempotency<T>(isKept: (outcome: T) => boolean): FormIdempotency<T> {
  const latest = new Map<string, { request: string; outcome: Promise<T> }>()

  async function start(scope: string, request: string, act: () => Promise<T>): Promise<T> {
    const entry = { request, outcome: act() }
    const drop = () => void (latest.get(scope) === entry && latest.delete(scope))
    latest.delete(scope)
    latest.set(scope, entry)
    if (latest.size > MAX_OUTCOMES) latest.delete(latest.keys().next().value ?? '')
    try {
      const outcome = await entry.outcome
      if (isKept(outcome)) setTimeout(drop, RETENTION_MS).unref()
      else drop()
      return outcome
    } catch (error) {
      drop()
      throw error
    }
  }

  return {
    has: (scope) => latest.has(scope),
    async run(scope, form, act) {
      // A program need not send the field, and then sends what it means.
      if (!form.has(FORM_KEY)) return act()
      const request = hash('sha256', JSON.stringify([...form]))
      const previous = latest.get(scope)
      return previous?.request === request ? previous.outcome : start(scope, request, act)
    },
  }
}
