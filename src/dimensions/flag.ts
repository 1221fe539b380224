import { html, type Html } from '../http/html.ts'

const FIRST_INDICATOR = 0x1f1e6

/** The flag of an ISO 3166 code: two regional indicators (Unicode Technical Standard 51). */
export function flag(code: string): Html | undefined {
  if (!/^[A-Z]{2}$/.test(code)) return undefined
  const indicators = [0, 1].map((at) => FIRST_INDICATOR + code.charCodeAt(at) - 65)
  return html`<span aria-hidden="true">${String.fromCodePoint(...indicators)}</span>`
}
