import { hexOf, inkOn, rgbOf } from '../../lib/color.ts'
import type { PreviewLine, WritePreview } from '../../links/kinds/preview.ts'
import type { Language } from '../../texts/language.ts'
import { element } from './element.ts'
import type { HomeTexts } from './home-texts.ts'

/**
 * Draws what a visitor of the link sees, in the frame of a phone; nothing for a kind that redirects.
 * @param kind one that the page has a tab for
 */
export async function drawPhone(
  side: HTMLElement,
  kind: string,
  form: URLSearchParams,
  texts: HomeTexts,
): Promise<void> {
  const drawing = (latest += 1)
  // esbuild puts what this pattern finds into the bundle: a new kind needs no line here.
  const { preview } = (await import(`../../links/kinds/${kind}/preview.ts`)) as { preview: WritePreview }
  if (drawing !== latest) return
  const shown = preview(form, texts.previews[kind] ?? {}, document.documentElement.lang as Language)
  const phone = side.querySelector('.home-phone')
  if (shown === undefined) return phone?.remove()
  const frame = phone ?? element('div', 'home-phone')
  frame.role = 'group'
  frame.ariaLabel = texts.phone
  frame.replaceChildren(...shown.lines.filter(({ text }) => text !== '').map(line))
  paint(shown.accent)
  if (!frame.isConnected) side.prepend(frame)
}

/** Counts the drawings: the module of a kind that is no longer shown may come later. */
let latest = 0

/** A style sheet of the script: it needs no `style` attributes. */
const colours = new CSSStyleSheet()
document.adoptedStyleSheets.push(colours)

/** Shows the buttons in the owner's colour, with the text in black or white, whichever can be read. */
function paint(accent = ''): void {
  if (!/^#[\da-f]{6}$/i.test(accent)) return colours.replaceSync('')
  colours.replaceSync(`.home-phone .press { background: ${accent}; color: ${hexOf(inkOn(rgbOf(accent)))} }`)
}

function line({ look, text }: PreviewLine): HTMLElement {
  const made = element('p', look === 'plain' ? '' : look, text)
  made.dir = 'auto'
  return made
}
