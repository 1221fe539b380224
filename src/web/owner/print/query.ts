import { createValidator } from '../../../http/validate.ts'
import type { FieldError } from '../../../http/problem.ts'
import type { Link } from '../../../links/link.ts'
import { invisibleText } from '../../../qr/print/poster.ts'
import { printQuery, type PrintQuery } from '../../../qr/print/query.ts'
import type { Language } from '../../../texts/language.ts'
import { scanMe, titleOf } from '../print-path.ts'

/** What the fields of the page hold, by the names that the API has for them. */
export type PrintFields = Required<Omit<PrintQuery, 'placement'>> & Pick<PrintQuery, 'placement'>

const faultsOf = createValidator(printQuery)

/** What a poster may have as its headline. */
const MOST = 200

/**
 * Reads the address of the page. Texts are as they were typed, with what is wrong with them; whatever else is wrong has its default,
 * as on the page of the link.
 * @param query where a parameter comes twice, as an unticked box and its default do, the last one counts
 */
export function readFields(
  query: Record<string, unknown>,
  link: Link,
  language: Language,
): { fields: PrintFields; errors: FieldError[] } {
  const given = (name: string) => {
    const value = [query[name]].flat().at(-1)
    return typeof value === 'string' ? value : undefined
  }
  const chosen = (name: 'paper' | 'style' | 'address' | 'logo') => {
    const value = given(name)
    return faultsOf({ [name]: value }).length === 0 ? value : undefined
  }
  const placement = given('placement')
  const fields = {
    paper: chosen('paper') ?? 'a4',
    style: chosen('style') ?? 'plain',
    title: onOneLine(given('title') ?? usualTitle(link, language)),
    text: onOneLine(given('text') ?? ''),
    address: chosen('address') ?? '1',
    logo: chosen('logo') ?? '0',
    ...(link.placements.some(({ id }) => id === placement) && { placement }),
  } as PrintFields
  return { fields, errors: faultsOf(fields) }
}

/** Lines of a page are broken where they fit. */
function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ')
}

/** Without scripts of other fonts, and also with them: the browser prints what a PDF cannot have. */
function usualTitle(link: Link, language: Language): string {
  const title = titleOf(link)
  const isUsable = title !== '' && title.length <= MOST && invisibleText(title, 'svg') === undefined
  return isUsable ? title : scanMe(language)
}

/** The query of the same page, or of its PDF. */
export function queryOf({ paper, style, title, text, address, logo, placement }: PrintFields): string {
  const query = new URLSearchParams({ paper, style, title: title.trim() })
  if (text.trim() !== '') query.set('text', text.trim())
  if (address === '0') query.set('address', address)
  if (logo === '1') query.set('logo', logo)
  if (placement !== undefined) query.set('placement', placement)
  return query.toString()
}
