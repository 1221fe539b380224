import { hash } from 'node:crypto'
import { Problem } from '../http/problem.ts'
import type { Client } from '../links/client.ts'
import type { Links } from '../links/open.ts'
import type { OnTrimmed } from '../links/url-policy.ts'

/** Characters of a form's idempotency key, which is a UUID. */
export const MAX_FORM_KEY = 255

/**
 * Creates the link of a form. A second click on the button, or a reload of the response, creates no second link. The
 * form's key is tied to the values of the fields: a client who goes back and changes one wants another link, and so does
 * a client who has deleted the first.
 * @returns the link's token
 */
export async function createOnce(
  links: Pick<Links, 'create' | 'requireToken'>,
  body: object,
  client: Client,
  { formKey, onTrimmed }: { formKey: string; onTrimmed: OnTrimmed },
): Promise<string> {
  const request = JSON.stringify(body)
  const isKey = /^[\w-]{16,255}$/.test(formKey)
  const idempotentRequest = isKey ? { key: `${formKey} ${hash('sha256', request)}`, request } : undefined
  const { token } = await links.create(body, client, { idempotentRequest, onTrimmed })
  if (idempotentRequest === undefined || (await hasLink(links, token))) return token
  return (await links.create(body, client, { onTrimmed })).token
}

async function hasLink(links: Pick<Links, 'requireToken'>, token: string): Promise<boolean> {
  try {
    await links.requireToken(token)
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}
