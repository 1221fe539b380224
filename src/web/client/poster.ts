import { createEncodeText } from '../../qr/matrix.ts'
import { traceOutline } from '../../qr/outline.ts'
import { fillText } from '../../lib/fill-text.ts'
import { posterTitle } from '../poster-title.ts'
import type { HomeTexts } from './home-texts.ts'

/** Modules of light space around the code. */
const QUIET_ZONE = 4
/** The sizes of a title that the style sheet has. */
const SIZES = 5
/** A letter that cannot be printed. */
const UNPRINTABLE = /(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{L}/u

export interface PosterData {
  /** The address that is printed below the code, in which `{code}` stands for the code. */
  address: string
  /** The text of a QR code, in which `{code}` stands for the code. */
  codeText: string
  texts: HomeTexts
}

/** Returns a function that draws the poster of what the form holds; the server has drawn that of an empty form. */
export function createPoster(
  side: HTMLElement,
  { address: printed, codeText, texts }: PosterData,
): (form: URLSearchParams) => void {
  const encode = createEncodeText()
  const [title, link, caption] = ['.home-poster-title', '.home-poster-link', '.home-caption'].map((each) =>
    side.querySelector(each),
  )
  const picture = side.querySelector('svg')
  const path = picture?.querySelector('path')
  const first = { view: picture?.getAttribute('viewBox') ?? '', path: path?.getAttribute('d') ?? '' }
  let drawn = ''

  const drawCode = (code: string) => {
    if (code === drawn) return
    drawn = code
    const address = fillText(printed, { code: code || '·······' })
    const next = code === '' ? first : draw(fillText(codeText, { code }))
    picture?.setAttribute('viewBox', next.view)
    path?.setAttribute('d', next.path)
    picture?.setAttribute('aria-label', fillText(texts.picture, { address }))
    setText(link, address)
    setText(caption, code === '' ? texts.placeholder : texts.chosen)
  }
  const draw = (text: string) => {
    const symbol = encode(text, { level: 'M' })
    const side = symbol.size + 2 * QUIET_ZONE
    return { view: `${-QUIET_ZONE} ${-QUIET_ZONE} ${side} ${side}`, path: traceOutline(symbol) }
  }
  return (form) => {
    const alias = form.get('alias') ?? ''
    drawCode(/^[\w-]{1,64}$/.test(alias) ? alias : '')
    const text = posterTitle((field) => form.get(field) ?? '')
      .replaceAll(/\p{Extended_Pictographic}/gu, '')
      .trim()
    setTitle(title, text === '' || UNPRINTABLE.test(text) ? texts.scan : text)
  }
}

function setText(place: Element | null | undefined, text: string): void {
  if (place && place.textContent !== text) place.textContent = text
}

/** Sets a title as large as fits, as it will be printed. */
function setTitle(place: Element | null | undefined, text: string): void {
  // Print breaks no word at its hyphens.
  const whole = text.replaceAll('-', '\u2011')
  if (!(place instanceof HTMLElement) || place.textContent === whole) return
  place.textContent = whole
  for (let size = 1; size <= SIZES; size++) {
    place.dataset['size'] = String(size)
    if (place.scrollWidth <= place.clientWidth && place.scrollHeight <= place.clientHeight) return
  }
}
