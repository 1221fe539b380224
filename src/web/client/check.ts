import type { FieldError } from '../../http/problem.ts'
import type { Report } from '../../qr/design/job.ts'
import type { Design } from '../../qr/design/schema.ts'

/** What the server says of a design. */
export type Verdict = { report: Report } | { errors: FieldError[]; detail: string } | { silence: Silence }

/** Why it says nothing now: the server's words on a limit, or it has too much to do, or it cannot be reached. */
export type Silence = { limit: string } | 'busy' | 'away'

/** Milliseconds after the last choice. */
const PAUSE = 500

/** Has designs checked, the last one only. */
export interface Check {
  /** Has a design checked once nothing else is chosen for a while. */
  soon: (design: Design) => void
  /** Forgets the design that was to be checked; an answer that still comes is not shown. */
  drop: () => void
}

/** @param show is given what the server says of the last design, and of no other */
export function createCheck(text: string, show: (verdict: Verdict) => void): Check {
  let timer: ReturnType<typeof setTimeout> | undefined
  let asking: AbortController | undefined
  const drop = () => {
    clearTimeout(timer)
    asking?.abort()
    asking = undefined
  }
  return {
    drop,
    soon(design) {
      drop()
      timer = setTimeout(() => {
        const { signal } = (asking = new AbortController())
        void ask(text, design, signal).then((verdict) => {
          if (!signal.aborted) show(verdict)
        })
      }, PAUSE)
    },
  }
}

async function ask(text: string, design: Design, signal: AbortSignal): Promise<Verdict> {
  try {
    const response = await fetch('/api/qr?report=true', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ data: text, format: 'svg', design }),
      signal,
    })
    if (response.status >= 500) return { silence: 'busy' }
    const answer: unknown = await response.json()
    if (response.ok) return { report: answer as Report }
    const { errors = [], detail } = answer as { errors?: FieldError[]; detail: string }
    if (response.status === 429) return { silence: { limit: detail } }
    return { errors, detail }
  } catch {
    return { silence: 'away' }
  }
}
