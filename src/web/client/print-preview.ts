import { followAddress, pageAddress } from './page-address.ts'

/** Milliseconds without a further change, after which the preview is drawn. */
const PAUSE_MS = 400

/** Follows the fields of a form with the parts of the page that say what they lead to. */
export function startPrintPreview(layout: HTMLElement, form: HTMLFormElement): void {
  const status = form.querySelector('.print-status')
  const say = (text = '') => status && (status.textContent = text)
  const follow = createFollower(async () => {
    const address = addressOf(form)
    const page = await readPage(address)
    if (page === undefined) return void say(layout.dataset['busy'])
    say()
    history.replaceState(null, '', address)
    followAddress()
    takeParts(layout, page)
    prepare(layout)
  })
  form.addEventListener('input', follow)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    follow()
  })
  layout.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('[data-print]')) print()
  })
  prepare(layout)
}

/** Returns a function that runs work after a pause, one at a time, and once more for what changed meanwhile. */
function createFollower(work: () => Promise<void>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isRunning = false
  let isLate = false
  const run = async () => {
    if (isRunning) return void (isLate = true)
    isRunning = true
    await work().finally(() => (isRunning = false))
    if (!isLate) return
    isLate = false
    await run()
  }
  return () => {
    clearTimeout(timer)
    timer = setTimeout(() => void run(), PAUSE_MS)
  }
}

function addressOf(form: HTMLFormElement): string {
  const fields = new URLSearchParams()
  // Of a box and its default, which have one name, the last one counts.
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') fields.set(name, value)
  return pageAddress(`${form.getAttribute('action')?.split('?')[0]}?${fields.toString()}`)
}

/** The page at an address, also one that says what is wrong with fields; undefined when the service does not show it now. */
async function readPage(address: string): Promise<Document | undefined> {
  try {
    const response = await fetch(address, { headers: { accept: 'text/html' } })
    const text = await response.text()
    const page = new DOMParser().parseFromString(text, 'text/html')
    return page.querySelector('.print-layout') === null ? undefined : page
  } catch {
    return undefined
  }
}

/** Replaces the parts that follow the fields. */
function takeParts(layout: HTMLElement, page: Document): void {
  for (const part of layout.querySelectorAll('[data-live]')) {
    const next = page.getElementById(part.id)
    // What is as it was is not said again.
    if (next && next.innerHTML !== part.innerHTML) part.replaceChildren(...next.childNodes)
  }
  for (const field of layout.querySelectorAll('textarea')) {
    const isInvalid = page.getElementById(field.id)?.getAttribute('aria-invalid') === 'true'
    if (isInvalid) field.setAttribute('aria-invalid', 'true')
    else field.removeAttribute('aria-invalid')
  }
}

/** Shows what needs a script, hides what does without, and keeps texts within their lines. */
function prepare(layout: HTMLElement): void {
  for (const each of layout.querySelectorAll<HTMLElement>('[data-print]')) each.hidden = false
  for (const each of layout.querySelectorAll<HTMLElement>('[data-without-script]')) each.hidden = true
  for (const text of layout.querySelectorAll<SVGTextElement>('text[data-most]')) keepWithin(text)
}

/** A font of the browser may be wider than the one that was measured. */
function keepWithin(text: SVGTextElement): void {
  const most = Number(text.dataset['most'])
  text.setAttribute('lengthAdjust', 'spacingAndGlyphs')
  // Letters that are joined may come out a little wider than they are told to.
  for (const length of [most, most * 0.95, most * 0.9]) {
    if (text.getBBox().width <= most) return
    text.setAttribute('textLength', String(length))
  }
}
