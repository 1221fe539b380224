import { enhanceRows } from './link-rows.ts'
import { followAddress } from './page-address.ts'

/**
 * Makes the tabs show another kind's fields without another page. What was typed for a kind stays in its inputs, which are
 * put aside, and the inputs that all kinds have stay where they are.
 * @param onChange called when another kind is shown
 */
export function enhanceKinds(form: HTMLFormElement, onChange: () => void): void {
  const utm = enhanceUtm(form)
  const shown = new Map<string, Element>()
  const tabs = [...document.querySelectorAll<HTMLAnchorElement>('.home .tabs a')]
  enhanceLists(form)

  const show = (tab: HTMLAnchorElement) => {
    const { kind = '', takesUtm } = tab.dataset
    const current = form.querySelector<HTMLElement>('.home-kind')
    const next = shown.get(kind) ?? copyOf(kind)
    if (current === null || next === null || current.dataset['kind'] === kind) return
    shown.set(current.dataset['kind'] ?? '', current)
    current.replaceWith(next)
    enhanceLists(next)
    const input = form.querySelector<HTMLInputElement>('input[name=kind]')
    if (input !== null) input.value = kind
    utm(takesUtm !== undefined)
    for (const each of tabs) each.ariaCurrent = each === tab ? 'page' : null
    history.replaceState(null, '', tab.href)
    followAddress()
    onChange()
  }
  for (const tab of tabs) {
    tab.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
      event.preventDefault()
      show(tab)
    })
  }
}

function copyOf(kind: string): Element | null {
  const template = document.querySelector<HTMLTemplateElement>(`template[data-kind="${kind}"]`)
  return template?.content.firstElementChild ?? null
}

const enhanced = 'data-enhanced'

function enhanceLists(within: Element): void {
  for (const list of within.querySelectorAll<HTMLElement>(`.link-rows:not([${enhanced}])`)) {
    list.setAttribute(enhanced, '')
    enhanceRows(list)
  }
}

/** Returns a function that shows or hides the UTM parameters; hidden ones are not sent. */
function enhanceUtm(form: HTMLFormElement): (isShown: boolean) => void {
  const spare = form.querySelector<HTMLTemplateElement>('.home-utm-spare')
  if (spare !== null) spare.replaceWith(spare.content)
  const section = form.querySelector<HTMLFieldSetElement>('.home-utm')
  const toggle = (isShown: boolean) => {
    if (section !== null) section.disabled = section.hidden = !isShown
  }
  if (spare !== null) toggle(false)
  return toggle
}
