import { trimInvisible } from '../../lib/invisible.ts'
import { withScheme } from '../../lib/with-scheme.ts'
import { destination } from '../../links/utm.ts'
import { element } from './element.ts'

/** Returns a function that shows below the UTM parameters the address at which visitors arrive. */
export function createFinalAddress(form: HTMLFormElement, text: string): (values: URLSearchParams) => void {
  const output = element('output', 'home-final')
  return (values) => {
    const section = form.querySelector('.home-utm')
    const address = ['target', 'fallback', 'ios', 'android'].map((name) => valueOf(values, name)).find(Boolean) ?? ''
    const url = trimInvisible(withScheme(address)).text
    const pairs = [...values.entries()].filter(([name, value]) => name.startsWith('utm_') && value.trim() !== '')
    if (section === null || pairs.length === 0 || !URL.canParse(url)) return output.remove()
    const utm = Object.fromEntries(pairs.map(([name, value]) => [name, value.trim()]))
    output.replaceChildren(`${text} `, element('strong', '', destination(url, utm)))
    if (!output.isConnected) section.append(output)
  }
}

function valueOf(values: URLSearchParams, name: string): string {
  return values.get(name)?.trim() ?? ''
}
