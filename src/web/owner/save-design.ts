import { isDeepStrictEqual } from 'node:util'
import { invalidRequest, Problem } from '../../http/problem.ts'
import type { OwnedLink } from '../../links/design.ts'
import { TOO_LARGE } from '../../qr/logo/logo.ts'
import { MAX_LOGO_URI } from '../../qr/design/schema.ts'
import { designFaultTexts } from '../../texts/design-faults.ts'
import { designerTexts } from '../../texts/designer.ts'
import type { Language } from '../../texts/language.ts'
import { refusalText } from '../faults.ts'
import { ifMatchOf, type Action } from './submission.ts'
import type { Refused } from './view.ts'
import { designOfValues, type DesignValues } from '../designer/values.ts'
import { faultsOf } from '../designer/messages.ts'
import type { RefusedDesign } from '../designer/form.ts'
import { lookOf, withLook } from '../designer/presets.ts'
import { poorVerdict } from '../designer/verdict.ts'

/** Saves the design of a form. One that scans poorly is saved when the owner says so once more, by the field `poor`. */
export const saveDesign: Action = async ({ links, change, access, form, language }) => {
  const values = Object.fromEntries(form)
  const before = await links.readByToken(access.credential)
  const look = lookOf(values['look'] ?? '')
  const design = look ? withLook(before.design ?? {}, look) : designOfValues(values, before.design)
  const isKnown = values['poor'] === 'yes' || isDeepStrictEqual(design, before.design)
  let verdict: string | undefined
  const approve = () => {
    verdict = poorVerdict(design, language)
    if (verdict !== undefined && !isKnown) throw new PoorDesign()
  }
  try {
    requireSmallLogo(values)
    // JSON turns NaN into null, which the schema refuses with the bounds of the number.
    const body = JSON.parse(JSON.stringify({ design })) as object
    await change(before, body, { ifMatch: form.has('revision') ? ifMatchOf(form) : undefined, approve })
    return { done: verdict === undefined ? 'designed' : 'designed-poor', at: 'design' }
  } catch (error) {
    if (error instanceof PoorDesign) return { refused: askAgain(before, values, verdict ?? '', language) }
    if (!(error instanceof Problem) || ![400, 412, 429, 503].includes(error.status)) throw error
    const owned = await links.readByToken(access.credential)
    const refused = refusedDesign(values, error, language)
    return { refused: { at: 'design', owned, text: reasonOf(error, language), problem: error, design: refused } }
  }
}

/** Keeps a design from being saved that many scanners cannot read. */
class PoorDesign extends Error {}

/** Nothing is wrong with the request, but what it would print may be of no use. */
function askAgain(owned: OwnedLink, values: DesignValues, verdict: string, language: Language): Refused {
  const problem = new Problem('unscannable', 'many scanners cannot read this design')
  const design = { ...refusedDesign(values, problem, language), isPoor: true }
  return { at: 'design', owned, text: designerTexts[language].poor(verdict), problem, design }
}

function reasonOf(problem: Problem, language: Language): string {
  const texts = designerTexts[language]
  if (problem.code === 'precondition_failed') return texts.conflict
  return problem.errors.length > 0 ? texts.notSaved : texts.notSavedBecause(refusalText(problem, language))
}

/** Reports the size of a large file instead of the length of its data URI, which people do not know. */
function requireSmallLogo({ logo = '' }: DesignValues): void {
  if (logo.length > MAX_LOGO_URI) throw invalidRequest([{ pointer: '/design/logo/image', detail: TOO_LARGE }])
}

/** Longer than any value of the form but the logo. */
const MAX_TEXT = 100
const DATA_URI = /^data:image\/[a-z+]{1,10};base64,[A-Za-z0-9+/=]*$/

/** A page cannot fill in a file: a new logo is sent back as text in a hidden input, unless it is what was refused. */
function refusedDesign(values: DesignValues, { errors }: Problem, language: Language): RefusedDesign {
  const isFaulty = errors.some(({ pointer }) => pointer === '/design/logo/image')
  const unsaved = values['logo'] || values['logo_image'] || ''
  const logo_image = isFaulty || !DATA_URI.test(unsaved) ? '' : unsaved
  const cut = Object.entries(values).map(([name, text = '']) => [name, text.slice(0, MAX_TEXT).toWellFormed()])
  return {
    values: { ...Object.fromEntries(cut), logo: '', logo_image },
    faults: faultsOf(errors, designFaultTexts[language]),
  }
}
