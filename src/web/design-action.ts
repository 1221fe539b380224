import { Problem } from '../http/problem.ts'
import type { LinkDeps } from '../links/create.ts'
import { changeLink, checkDesign, linkOfToken } from '../links/manage.ts'
import { designOfForm } from './design-form.ts'

/** Saves the design of a form, or none. What cannot be saved comes back, to be shown beside what is wrong. */
export async function saveDesign(
  deps: LinkDeps,
  token: string,
  form: URLSearchParams,
  asked: { origin: string; admit: () => void },
): Promise<Problem | undefined> {
  const { id } = await linkOfToken(deps, token)
  const before = await deps.designs.of(id)
  // An absent field is a choice that was not made, and not one of its own.
  const design: unknown = form.get('action') === 'plain' ? null : JSON.parse(JSON.stringify(designOfForm(form, before)))
  try {
    await checkDesign(deps, token, { design }, asked)
    await changeLink(deps, token, { design }, undefined)
    return undefined
  } catch (error) {
    if (error instanceof Problem && [400, 429, 503].includes(error.status)) return error
    throw error
  }
}
