import type { ApiError } from '../../bulk/faults.ts'
import type { CreatedLink } from './state.ts'
import { callApi } from '../call-api.ts'

export type RowOutcome = { index: number } & (CreatedLink | { error: ApiError } | { valid: true })

/** What became of a request: the outcome of each row, or why there is none. */
export type Answer =
  | { kind: 'rows'; results: RowOutcome[] }
  | { kind: 'wait'; seconds: number }
  | { kind: 'refused'; detail: string }
  | { kind: 'offline' }

/** Sends rows to the API; with a key they are created, without one only checked. */
export async function sendRows(body: string, key?: string): Promise<Answer> {
  // Where the operator asks for a key, the page has an input for it.
  const creationKey = document.querySelector<HTMLInputElement>('[name=creation_key]')?.value.trim()
  const headers = {
    'content-type': 'application/json',
    ...(key !== undefined && { 'idempotency-key': key }),
    ...(creationKey && { authorization: `Bearer ${creationKey}` }),
  }
  try {
    const url = key === undefined ? '/api/bulk?dry_run=true' : '/api/bulk'
    const response = await callApi(url, { method: 'POST', headers, body })
    const retryAfter = Number(response.headers.get('retry-after'))
    if ([429, 503].includes(response.status)) return { kind: 'wait', seconds: Math.max(1, retryAfter || 10) }
    // Not ours: from a proxy in front of the service, for example.
    if (response.status >= 500) return { kind: 'offline' }
    const { results, detail = '' } = (await response.json()) as { results?: RowOutcome[]; detail?: string }
    return results === undefined ? { kind: 'refused', detail } : { kind: 'rows', results }
  } catch {
    return { kind: 'offline' }
  }
}
