import { withScheme } from '../lib/with-scheme.ts'
import { DEFAULT_ACCENT, type FormField } from '../links/kinds/kind.ts'

/** The UTM parameters that forms offer; the API takes others as well. */
export const utmInputs: FormField[] = [
  { name: 'utm_source', input: 'text' },
  { name: 'utm_medium', input: 'text' },
  { name: 'utm_campaign', input: 'text' },
]

/** The form that a request sent; an empty one when it sent none. */
export function formOf(body: unknown): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams()
}

/**
 * The fields as the API takes them, without those left empty. Browsers send line ends as CRLF (HTML, "constructing the
 * entry list"); the owner meant a line end.
 */
export function filledFields(form: URLSearchParams, fields: FormField[]): Record<string, unknown> {
  const entries = fields.map(({ name, input }) => {
    if (input === 'links') return [name, filledLinks(form)] as const
    const text = form.get(name)?.replaceAll('\r\n', '\n') ?? ''
    if (text.trim() === '' || (input === 'color' && text === DEFAULT_ACCENT)) return [name, undefined] as const
    return [name, input === 'url' ? withScheme(text) : text] as const
  })
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

function filledLinks(form: URLSearchParams): { label: string; url: string }[] | undefined {
  const urls = form.getAll('link_url')
  const pairs = form.getAll('link_label').map((label, at) => ({ label, url: withScheme(urls[at] ?? '') }))
  const filled = pairs.filter(({ label, url }) => label.trim() !== '' || url !== '')
  return filled.length > 0 ? filled : undefined
}

/** The UTM pairs of a form, merged into those that it does not show. */
export function filledUtm(form: URLSearchParams, before: Record<string, string> = {}): Record<string, string> {
  const filled = { ...before }
  for (const { name } of utmInputs) filled[name] = form.get(name)?.trim() ?? filled[name] ?? ''
  return Object.fromEntries(Object.entries(filled).filter(([, value]) => value))
}
