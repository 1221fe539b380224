import { fillText } from '../../lib/fill-text.ts'
import type { PrintedSize } from '../../qr/printed-size.ts'
import type { Language } from '../../texts/language.ts'
import type { SizeTexts } from '../../texts/try.ts'
import { LEAST_WIDTH, MOST_WIDTH, PIXELS_PER_MM, wordsOfSize } from '../owner/try/size-words.ts'
import { followAddress } from './page-address.ts'
import { forgetScreen, keepScreen, readScreen } from './kept-screen.ts'

/** The sides of a bank card, in millimetres (ISO/IEC 7810, ID-1). */
const CARD = [85.6, 53.98] as const

/** The parts of the panel that the script changes. */
interface Panel {
  section: HTMLElement
  texts: SizeTexts
  image: HTMLElement
  own: HTMLInputElement
  slider: HTMLInputElement
  compare: HTMLDetailsElement
}

/** Shows the code in real millimetres at the size that is chosen, once the screen was compared with a card. */
export function startSize(section: HTMLElement): void {
  const image = section.querySelector<HTMLElement>('.try-paper img')
  const [own, slider] = ['#try-own', '#try-slider'].map((selector) => section.querySelector<HTMLInputElement>(selector))
  const compare = section.querySelector<HTMLDetailsElement>('#try-compare')
  if (!image || !own || !slider || !compare) return
  const texts = JSON.parse(section.dataset['texts'] ?? '{}') as SizeTexts
  const panel = { section, texts, image, own, slider, compare }
  compare.hidden = false
  chooseWidths(panel)
  compareWithCard(panel)
  // So do zooming, and moving the window to a screen of another density.
  addEventListener('resize', () => show(panel))
  show(panel)
}

/** Draws code and card, and says what is known of their size. */
function show(panel: Panel): void {
  const { section, texts, image, slider } = panel
  const known = readScreen()
  const isTouched = 'touched' in slider.dataset
  if (!isTouched) slider.value = String((known ?? 1) * 100)
  const factor = isTouched || known === undefined ? Number(slider.value) / 100 : known
  const perMm = PIXELS_PER_MM * factor
  const width = Number(section.dataset['width'])
  image.style.width = `${width * perMm}px`
  drawCard(panel, perMm)
  const percent = new Intl.NumberFormat(document.documentElement.lang).format(Math.round(factor * 100))
  slider.ariaValueText = fillText(texts.percent, { percent })
  const isCompared = known !== undefined || isTouched
  write(section, '.try-truth', isCompared ? texts.compared : texts.asScreenSays)
  section.querySelector<HTMLElement>('[data-forget]')?.toggleAttribute('hidden', known === undefined)
  const paper = image.parentElement as HTMLElement
  const isWide = paper.scrollWidth > paper.clientWidth
  section.querySelector('.try-wide')?.toggleAttribute('hidden', !isWide)
  // Whoever has no mouse moves it with the arrow keys.
  if (isWide) paper.tabIndex = 0
  else paper.removeAttribute('tabindex')
}

/** The card stands upright where it is too long to lie. */
function drawCard({ compare }: Panel, perMm: number): void {
  const card = compare.querySelector<HTMLElement>('.try-card')
  const [long, short] = CARD.map((side) => side * perMm) as [number, number]
  if (card === null) return
  const isUpright = (card.parentElement?.clientWidth ?? 0) < long
  card.style.width = `${isUpright ? short : long}px`
  card.style.height = `${isUpright ? long : short}px`
}

function chooseWidths(panel: Panel): void {
  const { section, texts, own } = panel
  const size = section.dataset['size'] ?? ''
  const known = size === '' ? undefined : (JSON.parse(size) as PrintedSize)
  const choose = (width: number) => {
    section.dataset['width'] = String(width)
    for (const link of section.querySelectorAll<HTMLElement>('.try-widths a')) {
      if (link.dataset['width'] === String(width)) link.ariaCurrent = 'true'
      else link.ariaCurrent = null
    }
    const words = wordsOfSize(width, known, texts, document.documentElement.lang as Language)
    write(section, '.try-distance', words.distance)
    write(section, '.try-remark', words.remark)
    for (const name of ['note', 'warning'])
      section.querySelector('.try-remark')?.classList.toggle(name, words.isWarning)
    keepInAddress(width)
    show(panel)
  }
  section.querySelector('.try-widths')?.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLElement>('a') : null
    if (link === null || !(event instanceof MouseEvent) || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    own.value = link.dataset['width'] ?? ''
    choose(Number(own.value))
  })
  own.addEventListener('input', () => {
    const width = own.valueAsNumber
    if (Number.isInteger(width) && width >= LEAST_WIDTH && width <= MOST_WIDTH) choose(width)
  })
  // It is shown already.
  own.form?.querySelector('button')?.toggleAttribute('hidden', true)
  own.form?.addEventListener('submit', (event) => event.preventDefault())
}

/** A reload shows the same size, and so does the page of another place or language. */
function keepInAddress(width: number): void {
  const address = new URL(location.href)
  address.searchParams.set('mm', String(width))
  history.replaceState(history.state, '', address)
  for (const input of document.querySelectorAll<HTMLInputElement>('[type=hidden][name=mm]')) input.value = String(width)
  followAddress()
}

function compareWithCard(panel: Panel): void {
  const { texts, slider, compare } = panel
  const keep = () => {
    const isKept = keepScreen(Number(slider.value) / 100)
    if (isKept) delete slider.dataset['touched']
    write(compare, '[role=status]', isKept ? texts.kept : texts.notKept)
    show(panel)
  }
  slider.addEventListener('input', () => {
    slider.dataset['touched'] = ''
    show(panel)
  })
  slider.addEventListener('change', keep)
  compare.querySelector('[data-fits]')?.addEventListener('click', keep)
  compare.querySelector('[data-forget]')?.addEventListener('click', () => {
    forgetScreen()
    delete slider.dataset['touched']
    write(compare, '[role=status]', '')
    show(panel)
    slider.focus()
  })
  // Folded, it has no width.
  compare.addEventListener('toggle', () => show(panel))
}

function write(root: ParentNode, selector: string, text: string): void {
  const element = root.querySelector(selector)
  if (element !== null && element.textContent !== text) element.textContent = text
}
