import { isDeepStrictEqual } from 'node:util'
import { invalidRequest, Problem } from '../../http/problem.ts'
import type { Drawing, OwnedLink } from '../../links/design.ts'
import { entityTag } from '../../links/link.ts'
import { TOO_LARGE } from '../../qr/logo/logo.ts'
import { MAX_LOGO_URI } from '../../qr/design/schema.ts'
import { designFaultTexts } from '../../texts/design-faults.ts'
import { designerTexts } from '../../texts/designer.ts'
import type { Language } from '../../texts/language.ts'
import { refusalText } from '../faults.ts'
import type { Submission } from '../owner/submission.ts'
import { designOfValues, type DesignValues } from './values.ts'
import { faultsOf } from './messages.ts'
import type { RefusedDesign } from './form.ts'
import { lookOf, withLook } from './presets.ts'
import { poorVerdict } from './verdict.ts'

/** A design that could not be saved, to be shown again with its errors. */
export interface DesignRefusal {
  /** The section of the form. */
  at: 'design'
  owned: OwnedLink
  text: string
  problem: Problem
  design: RefusedDesign
}

/** What became of a design: whether it scans poorly, or what to show when it was not saved. */
type Saved = { isPoor: boolean } | { refused: DesignRefusal }

/** Saves the design of a form. One that scans poorly is saved when the owner says so once more, by the field `poor`. */
export async function saveDesign(
  links: Pick<Submission['links'], 'checkDesign' | 'change' | 'readByToken'>,
  token: string,
  { form, drawing, language }: { form: URLSearchParams; drawing: Drawing; language: Language },
): Promise<Saved> {
  const values = Object.fromEntries(form)
  const before = await links.readByToken(token)
  const look = lookOf(values['look'] ?? '')
  const change = { design: look ? withLook(before.design ?? {}, look) : designOfValues(values, before.design) }
  // JSON turns NaN into null, which the schema refuses with the bounds of the number.
  const body: unknown = JSON.parse(JSON.stringify(change))
  // A form opened before another change must not silently undo that change.
  const ifMatch = form.has('revision') ? entityTag({ revision: Number(form.get('revision')) }) : undefined
  try {
    requireSmallLogo(values)
    const design = await links.checkDesign(before, body, drawing)
    const verdict = poorVerdict(change.design, language)
    const isKnown = values['poor'] === 'yes' || isDeepStrictEqual(change.design, before.design)
    if (verdict !== undefined && !isKnown) return { refused: askAgain(before, values, verdict, language) }
    await links.change(before, body, { ifMatch, design })
    return { isPoor: verdict !== undefined }
  } catch (error) {
    if (!(error instanceof Problem) || ![400, 412, 429, 503].includes(error.status)) throw error
    const owned = await links.readByToken(token)
    const refused = refusedDesign(values, error, language)
    return { refused: { at: 'design', owned, text: reasonOf(error, language), problem: error, design: refused } }
  }
}

/** Nothing is wrong with the request, but what it would print may be of no use. */
function askAgain(owned: OwnedLink, values: DesignValues, verdict: string, language: Language): DesignRefusal {
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
