import { element } from './element.ts'
import type { HomeTexts } from './home-texts.ts'

/** Draws what a visitor of the link sees, in the frame of a phone; nothing for a kind that redirects. */
export function drawPhone(side: HTMLElement, kind: string, form: URLSearchParams, texts: HomeTexts): void {
  const content = contents[kind]?.(form, texts)
  const phone = side.querySelector('.home-phone')
  if (content === undefined) return phone?.remove()
  const frame = phone ?? element('div', 'home-phone')
  frame.role = 'group'
  frame.ariaLabel = texts.phone
  frame.replaceChildren(...content)
  if (!frame.isConnected) side.prepend(frame)
}

const contents: Record<string, (form: URLSearchParams, texts: HomeTexts) => Element[]> = {
  page(form, texts) {
    const labels = form.getAll('link_label')
    return [
      line('name', textOf(form, 'headline') || texts.headline),
      line('text', textOf(form, 'description')),
      ...labels.filter((label) => label.trim() !== '').map((label) => line('press', label)),
    ].filter(hasText)
  },
  vcard(form, texts) {
    const names = ['firstName', 'lastName'].map((field) => textOf(form, field)).filter(Boolean)
    const org = textOf(form, 'org')
    const name = names.join(' ') || org || texts.name
    const initials = (names.length > 0 ? names : [name]).map((part) => /^./su.exec(part)?.[0] ?? '').join('')
    return [
      line('initials', initials),
      line('name', name),
      ...['jobTitle', 'org', 'phone', 'email', 'website'].map((field) => line('', textOf(form, field))),
      line('press', texts.save),
    ].filter((each) => hasText(each) && !(each.className === '' && each.textContent === name))
  },
}

function textOf(form: URLSearchParams, field: string): string {
  return form.get(field)?.trim() ?? ''
}

function line(className: string, text: string): HTMLElement {
  const made = element('p', className, text)
  made.dir = 'auto'
  return made
}

function hasText({ textContent }: Element): boolean {
  return textContent !== ''
}
