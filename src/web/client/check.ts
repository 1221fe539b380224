import type { FieldError } from '../../http/problem.ts'
import type { Report } from '../../qr/check/report.ts'
import type { Design } from '../../qr/design/schema.ts'
import { callApi } from './call-api.ts'

/** The result of the server's check of a design. */
export type CheckResult = { report: Report } | { errors: FieldError[]; detail: string } | { unavailable: Unavailable }

/** Why there is no result: a rate limit, an overloaded server, or one that cannot be reached. */
export type Unavailable = { minutes: number } | 'busy' | 'unreachable'

/** Milliseconds after the last change. */
const DEBOUNCE_MS = 500

/** Has the server check the latest design. */
export interface Check {
  /** Checks a design once the form has not changed for a while. */
  schedule: (design: Design) => void
  /** Cancels the scheduled check, and drops the result of a running one. */
  cancel: () => void
}

/**
 * @param textOf the text that the QR code encodes
 * @param show called with the result for the latest design, never for an earlier one
 */
export function createCheck(textOf: () => string, show: (result: CheckResult) => void): Check {
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: AbortController | undefined
  const cancel = () => {
    clearTimeout(timer)
    running?.abort()
    running = undefined
  }
  return {
    cancel,
    schedule(design) {
      cancel()
      timer = setTimeout(() => {
        const { signal } = (running = new AbortController())
        void requestReport(textOf(), design, signal).then((result) => {
          if (!signal.aborted) show(result)
        })
      }, DEBOUNCE_MS)
    },
  }
}

async function requestReport(text: string, design: Design, signal: AbortSignal): Promise<CheckResult> {
  try {
    const response = await callApi('/api/qr?report=true', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ data: text, format: 'svg', design }),
      signal,
    })
    if (response.status >= 500) return { unavailable: 'busy' }
    if (response.status === 429) {
      const seconds = Number(response.headers.get('retry-after') ?? 60)
      return { unavailable: { minutes: Math.max(1, Math.ceil(seconds / 60)) } }
    }
    const body: unknown = await response.json()
    if (response.ok) return { report: body as Report }
    const { errors = [], detail } = body as { errors?: FieldError[]; detail: string }
    return { errors, detail }
  } catch {
    return { unavailable: 'unreachable' }
  }
}
