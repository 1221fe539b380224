import { leastWidth, sizeInSquare, largestSquare } from '../../../qr/print/code-size.ts'
import { LEAST_MODULE_MM } from '../../../qr/printed-size.ts'
import { invisibleText } from '../../../qr/print/poster.ts'
import { templates, type TemplateName } from '../../../qr/print/template.ts'
import { printTexts } from '../../../texts/print.ts'
import { faultText, refusalText } from '../../faults.ts'
import { lengthsIn } from './lengths.ts'
import type { PrintView } from './view.ts'

/** The fields at which a fault can stand, in their order; `preview` for what is wrong with none of them. */
const faultFields = ['paper', 'title', 'text', 'address', 'logo', 'preview'] as const

export type FaultField = (typeof faultFields)[number]

/** What is wrong with a field of the page, in its language; undefined when nothing is. */
export function faultOf(view: PrintView, field: FaultField): string | undefined {
  const { errors, language, sheet } = view
  const faults = printTexts[language].faults
  const tooLong = errors.find(({ pointer }) => pointer === `/${field}`)
  if (tooLong !== undefined) return faultText(tooLong, language)
  const refused = refusalOf(view)
  if (refused?.field === field) return refused.text
  if (field !== 'title' && field !== 'text') return undefined
  const missing = sheet?.missing[field] ?? []
  return missing.length === 0 ? undefined : faults.unprintable(shown(missing))
}

/** What stands in place of the preview: the first fault, with its field. */
export function firstFault(view: PrintView): string {
  const { fields, address, logo } = printTexts[view.language]
  const labels: Partial<Record<FaultField, string>> = { ...fields, address, logo }
  for (const field of faultFields) {
    const [fault, label] = [faultOf(view, field), labels[field]]
    if (fault !== undefined) return label === undefined ? fault : `${label}: ${fault}`
  }
  return ''
}

const MOST_SHOWN = 12

function shown(characters: string[]): string {
  return characters.length <= MOST_SHOWN ? characters.join(' ') : `${characters.slice(0, MOST_SHOWN).join(' ')} …`
}

/** Why the page was not drawn, and at which field that is said. */
function refusalOf(view: PrintView): { field: FaultField; text: string } | undefined {
  const { problem, language, fields } = view
  if (problem === undefined) return undefined
  const faults = printTexts[language].faults
  const pointer = problem.errors[0]?.pointer ?? ''
  if (pointer === '/title' || pointer === '/text') {
    const field = pointer === '/title' ? 'title' : 'text'
    const isInvisible = invisibleText(fields[field], 'svg') !== undefined
    return { field, text: isInvisible ? faults.invisible : faults.text }
  }
  if (pointer === '/logo') return { field: 'logo', text: faults.logo }
  if (pointer !== '/paper') return { field: 'preview', text: `${faults.design} ${refusalText(problem, language)}` }
  return problem.code === 'text_too_long'
    ? { field: 'address', text: faults.address }
    : { field: 'paper', text: tooSmall(view) }
}

function tooSmall({ sizes, language }: PrintView): string {
  const { faults, papers } = printTexts[language]
  if (sizes === undefined) return faults.design
  const names = Object.keys(templates) as TemplateName[]
  const smallest = names
    .filter((name) => takes(name, sizes.code))
    .toSorted((one, other) => largestSquare(templates[one]) - largestSquare(templates[other]))[0]
  const needed = faults.paper(lengthsIn(language).wide(leastWidth(sizes.code)))
  return smallest === undefined ? needed : `${needed} ${faults.use(papers[smallest].name)}`
}

/** Whether a template has room for the modules of a code. */
export function takes(name: TemplateName, code: Parameters<typeof sizeInSquare>[0]): boolean {
  return sizeInSquare(code, largestSquare(templates[name])).module >= LEAST_MODULE_MM
}
