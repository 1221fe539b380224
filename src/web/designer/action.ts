import { invalidRequest, Problem } from '../../http/problem.ts'
import type { Drawing, OwnedLink } from '../../links/design.ts'
import { entityTag } from '../../links/link.ts'
import type { Links } from '../../links/open.ts'
import { TOO_LARGE } from '../../qr/logo/logo.ts'
import { MAX_LOGO_URI } from '../../qr/design/schema.ts'
import { designOfValues, type DesignValues } from './values.ts'
import { faultsOf } from './messages.ts'
import type { RefusedDesign } from './form.ts'

/** What could not be saved, to be shown beside what is wrong. */
export interface DesignRefusal {
  owned: OwnedLink
  text: string
  problem: Problem
  design: RefusedDesign
}

/** Saves the design of a form. */
export async function saveDesign(
  links: Pick<Links, 'checkDesign' | 'change' | 'readByToken'>,
  token: string,
  form: URLSearchParams,
  drawing: Drawing,
): Promise<DesignRefusal | undefined> {
  const values = Object.fromEntries(form)
  const before = await links.readByToken(token)
  const wanted = { design: designOfValues(values, before.design) }
  // What is not a number in JavaScript is none in JSON either; the schema says what it must be.
  const body: unknown = JSON.parse(JSON.stringify(wanted))
  // A form that was opened before another change would take that one back, unseen.
  const ifMatch = form.has('revision') ? entityTag({ revision: Number(form.get('revision')) }) : undefined
  try {
    requireSmallLogo(values)
    await links.change(before, body, { ifMatch, design: await links.checkDesign(before, body, drawing) })
    return undefined
  } catch (error) {
    if (!(error instanceof Problem) || ![400, 412, 429, 503].includes(error.status)) throw error
    const owned = await links.readByToken(token)
    return { owned, text: reasonOf(error), problem: error, design: shownAgain(values, error) }
  }
}

function reasonOf({ code, errors, message }: Problem): string {
  if (code === 'precondition_failed') {
    return 'This link was saved elsewhere since you opened this page. The design that you chose is below: save again to put it in place of the other change.'
  }
  return `The design is not saved yet: ${errors.length > 0 ? 'please look at its marked choice' : message}.`
}

/** Says of a large file what a person understands, and not how long its data URI is. */
function requireSmallLogo({ logo = '' }: DesignValues): void {
  if (logo.length > MAX_LOGO_URI) throw invalidRequest([{ pointer: '/design/logo/image', detail: TOO_LARGE }])
}

/** More than any input of the form but the logo holds. */
const MAX_TEXT = 100
const DATA_URI = /^data:image\/[a-z+]{1,10};base64,[A-Za-z0-9+/=]*$/

/** No page can fill in a file: a logo that was chosen stays as text, unless it is what is wrong. */
function shownAgain(values: DesignValues, { errors }: Problem): RefusedDesign {
  const isFaulty = errors.some(({ pointer }) => pointer === '/design/logo/image')
  const waiting = values['logo'] || values['logo_image'] || ''
  const logo_image = isFaulty || !DATA_URI.test(waiting) ? '' : waiting
  const cut = Object.entries(values).map(([name, text = '']) => [name, text.slice(0, MAX_TEXT).toWellFormed()])
  return { values: { ...Object.fromEntries(cut), logo: '', logo_image }, faults: faultsOf(errors) }
}
