import { callApi } from './call-api.ts'

/** A collection as the service has created it. */
export interface CreatedCollection {
  token: string
  manage_url: string
  name: string | null
  created_at: string
}

/** Why a request was not done: `wait` after so many seconds. */
export type Refusal =
  | { kind: 'wait'; seconds: number }
  | { kind: 'refused'; code: string; detail: string }
  | { kind: 'offline' }

/** Why a request failed, from its response. */
export async function refusalOf(response: Response): Promise<Refusal> {
  if ([429, 503].includes(response.status)) {
    return { kind: 'wait', seconds: Math.max(1, Number(response.headers.get('retry-after')) || 10) }
  }
  // Not ours: from a proxy in front of the service, for example.
  if (response.status >= 500) return { kind: 'offline' }
  const { code = '', detail = '' } = (await response.json()) as { code?: string; detail?: string }
  return { kind: 'refused', code, detail }
}

/**
 * Creates a collection.
 * @param key a retry with the same one returns the same collection
 * @param accessCode of the operator, where creation needs one
 */
export async function createCollection(
  name: string,
  key: string,
  accessCode: string | undefined,
): Promise<CreatedCollection | Refusal> {
  const headers = {
    'content-type': 'application/json',
    'idempotency-key': key,
    ...(accessCode && { authorization: `Bearer ${accessCode}` }),
  }
  const body = JSON.stringify(name === '' ? {} : { name })
  try {
    const response = await callApi('/api/collections', { method: 'POST', headers, body })
    return response.ok ? ((await response.json()) as CreatedCollection) : await refusalOf(response)
  } catch {
    return { kind: 'offline' }
  }
}
