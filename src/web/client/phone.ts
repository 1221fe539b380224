import { hexOf, inkOn, rgbOf } from '../../lib/color.ts'
import { signOfContact, signOfPage } from '../../lib/initials.ts'
import { ownValue } from '../../lib/own-value.ts'
import { element } from './element.ts'
import type { HomeTexts } from './home-texts.ts'

/** Draws what a visitor of the link sees, in the frame of a phone; nothing for a kind that redirects. */
export function drawPhone(side: HTMLElement, kind: string, form: URLSearchParams, texts: HomeTexts): void {
  const content = ownValue(contents, kind)?.(form, texts)
  const phone = side.querySelector('.home-phone')
  if (content === undefined) return phone?.remove()
  const frame = phone ?? element('div', 'home-phone')
  frame.role = 'group'
  frame.ariaLabel = texts.phone
  frame.replaceChildren(...content)
  paint(form.get('accent'))
  if (!frame.isConnected) side.prepend(frame)
}

const contents: Record<string, (form: URLSearchParams, texts: HomeTexts) => Element[]> = {
  page(form, texts) {
    const labels = form.getAll('link_label')
    const headline = textOf(form, 'headline')
    return [
      line('initials', signOfPage({ headline, avatar: textOf(form, 'avatar') })),
      line('name', headline || texts.headline),
      line('text', textOf(form, 'description')),
      ...labels.filter((label) => label.trim() !== '').map((label) => line('press', label)),
    ].filter(hasText)
  },
  vcard(form, texts) {
    const [firstName = '', lastName = '', org = ''] = ['firstName', 'lastName', 'org'].map((field) =>
      textOf(form, field),
    )
    const name = [firstName, lastName].filter(Boolean).join(' ') || org || texts.name
    return [
      line('initials', signOfContact({ firstName, lastName, org })),
      line('name', name),
      ...['jobTitle', 'org', 'phone', 'email', 'website'].map((field) => line('', textOf(form, field))),
      line('press', texts.save),
    ].filter((each) => hasText(each) && !(each.className === '' && each.textContent === name))
  },
}

/** A style sheet of the script: it needs no `style` attributes. */
const colours = new CSSStyleSheet()
document.adoptedStyleSheets.push(colours)

/** Shows the buttons in the owner's colour, with the text in black or white, whichever can be read. */
function paint(accent: string | null): void {
  if (accent === null || !/^#[\da-f]{6}$/i.test(accent)) return colours.replaceSync('')
  colours.replaceSync(`.home-phone .press { background: ${accent}; color: ${hexOf(inkOn(rgbOf(accent)))} }`)
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
