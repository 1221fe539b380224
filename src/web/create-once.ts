import { hash } from 'node:crypto'
import { Problem } from '../http/problem.ts'
import { createLink, type Admit, type LinkDeps } from '../links/create.ts'
import { linkOfToken } from '../links/manage.ts'

/** Characters of a form's key, which is a UUID. */
export const MAX_FORM_KEY = 255

/**
 * Creates the link that a form asks for, and answers its token. A second click on the button, or a reload of the answer,
 * makes no second link. The form's key holds for these very fields: who goes back and changes one wants another link,
 * and so does who has deleted the first.
 */
export async function createOnce(
  deps: LinkDeps,
  body: object,
  asked: { origin: string; admit: Admit },
  formKey: string,
): Promise<string> {
  const request = JSON.stringify(body)
  const isKey = /^[\w-]{16,255}$/.test(formKey)
  const repeatable = isKey ? { key: `${formKey} ${hash('sha256', request)}`, request } : undefined
  const { token } = await createLink(deps, body, { ...asked, repeatable })
  if (repeatable === undefined || (await hasLink(deps, token))) return token
  return (await createLink(deps, body, { ...asked, repeatable: undefined })).token
}

async function hasLink(deps: LinkDeps, token: string): Promise<boolean> {
  try {
    await linkOfToken(deps, token)
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}
