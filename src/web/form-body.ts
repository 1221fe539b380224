import type { FastifyInstance } from 'fastify'
import type { FormField } from '../links/kinds/kind.ts'

/** The UTM parameters that forms offer; the API takes others as well. */
export const utmInputs = [
  { name: 'utm_source', label: 'Source', hint: 'where the code is shown: flyer, window, newsletter' },
  { name: 'utm_medium', label: 'Medium', hint: 'qr, print, email' },
  { name: 'utm_campaign', label: 'Campaign', hint: 'what it is part of' },
]

/** Makes `app` read what HTML forms send. */
export function readForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: unknown, body: string) => new URLSearchParams(body),
  )
}

/** The body of a request that may have had none. */
export function formOf(body: unknown): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams()
}

/**
 * The filled-in fields as the API takes them; what was left empty is not there. Browsers send line ends as CRLF
 * (HTML, "constructing the entry list"); the owner meant a line end.
 */
export function filledFields(form: URLSearchParams, fields: FormField[]): Record<string, unknown> {
  const entries = fields.map(({ name, input }) => {
    if (input === 'links') return [name, filledLinks(form)] as const
    return [name, form.get(name)?.replaceAll('\r\n', '\n').trim() || undefined] as const
  })
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

function filledLinks(form: URLSearchParams): { label: string; url: string }[] | undefined {
  const urls = form.getAll('link_url')
  const pairs = form.getAll('link_label').map((label, at) => ({ label: label.trim(), url: (urls[at] ?? '').trim() }))
  const filled = pairs.filter(({ label, url }) => label !== '' || url !== '')
  return filled.length > 0 ? filled : undefined
}

/** The UTM pairs of a form on top of those that it does not show. */
export function filledUtm(form: URLSearchParams, before: Record<string, string> = {}): Record<string, string> {
  const shown = utmInputs.map(({ name }) => [name, form.get(name)?.trim() ?? ''] as const)
  return Object.fromEntries(Object.entries({ ...before, ...Object.fromEntries(shown) }).filter(([, value]) => value))
}
