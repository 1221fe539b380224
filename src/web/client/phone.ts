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
  paint(form.get('accent'))
  if (!frame.isConnected) side.prepend(frame)
}

const contents: Record<string, (form: URLSearchParams, texts: HomeTexts) => Element[]> = {
  page(form, texts) {
    const labels = form.getAll('link_label')
    const headline = textOf(form, 'headline')
    return [
      line('initials', textOf(form, 'avatar') || initialsOf(headline.split(/\s+/).slice(0, 2))),
      line('name', headline || texts.headline),
      line('text', textOf(form, 'description')),
      ...labels.filter((label) => label.trim() !== '').map((label) => line('press', label)),
    ].filter(hasText)
  },
  vcard(form, texts) {
    const names = ['firstName', 'lastName'].map((field) => textOf(form, field)).filter(Boolean)
    const org = textOf(form, 'org')
    const name = names.join(' ') || org || texts.name
    return [
      line('initials', initialsOf(names.length > 0 ? names : [name])),
      line('name', name),
      ...['jobTitle', 'org', 'phone', 'email', 'website'].map((field) => line('', textOf(form, field))),
      line('press', texts.save),
    ].filter((each) => hasText(each) && !(each.className === '' && each.textContent === name))
  },
}

function initialsOf(names: string[]): string {
  return names.map((name) => /^./su.exec(name)?.[0] ?? '').join('')
}

/** A style sheet of the script: it needs no `style` attributes. */
const colours = new CSSStyleSheet()
document.adoptedStyleSheets.push(colours)

/** Shows the buttons in the owner's colour, with the text in black or white, whichever can be read. */
function paint(accent: string | null): void {
  if (accent === null || !/^#[\da-f]{6}$/i.test(accent)) return colours.replaceSync('')
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(accent.slice(at, at + 2), 16))
  const linear = (part: number) => (part / 255) ** 2.2
  const luminance = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  const ink = luminance > 0.18 ? '#000' : '#fff'
  colours.replaceSync(`.home-phone .press { background: ${accent}; color: ${ink} }`)
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
