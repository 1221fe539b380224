import type { PreviewTexts } from '../../texts/preview.ts'
import type { Fault } from '../designer/messages.ts'

/** The preview of a design on the page. */
export interface View {
  /** Shows the images of a design; the first ones make the preview appear. */
  showImages: (svgs: string[]) => void
  /** Shows errors at their inputs in place of earlier ones, and fades the image, which is then out of date. */
  showFaults: (faults: Fault[]) => void
  /** Shows the result of a check; screen readers announce it. */
  showResult: (text: string, isPoor?: boolean) => void
  /** Shows whether the design is saved. */
  showStatus: (text: string) => void
}

/** Where a preview shows its images. */
export interface Pictures {
  element: HTMLElement
  show: (svgs: string[]) => void
}

/** Beside the form: the image of a link, and the button that saves its design. */
export function createView(form: HTMLFormElement, texts: PreviewTexts): View {
  const image = element('img', 'qr')
  image.alt = texts.image
  // On phones, the form's own button is screens away.
  const save = element('button', '')
  save.setAttribute('form', form.id)
  save.textContent = texts.save
  return createViewOf(form, texts, { element: image, show: ([svg = '']) => showSvg(image, svg) }, save)
}

/** Has an image show an SVG: there it runs no script and loads nothing. */
export function showSvg(image: HTMLImageElement, svg: string): void {
  const before = image.src
  image.src = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }))
  if (before !== '') URL.revokeObjectURL(before)
}

/** A preview before the form, with what is to be below its texts. */
export function createViewOf(
  form: HTMLFormElement,
  texts: PreviewTexts,
  pictures: Pictures,
  ...below: HTMLElement[]
): View {
  const status = element('p', 'quiet')
  const result = element('p', 'verdict')
  result.ariaLive = 'polite'
  const sentences = element('div', '')
  sentences.append(status, result)
  const aside = element('aside', 'preview')
  aside.ariaLabel = texts.label
  aside.append(pictures.element, sentences, ...below)
  let shown = ''
  return {
    showImages(svgs) {
      const all = svgs.join('')
      if (all === shown) return
      shown = all
      pictures.show(svgs)
      if (!aside.isConnected) form.before(aside)
    },
    showFaults(faults) {
      aside.classList.toggle('faulty', faults.length > 0)
      for (const slot of form.querySelectorAll('.fault')) showFaultsOf(form, slot, faults)
    },
    showResult(text, isPoor) {
      result.className = isPoor ? 'verdict poor' : 'verdict'
      if (result.textContent !== text) result.textContent = text
    },
    showStatus(text) {
      status.textContent = text
    },
  }
}

function showFaultsOf(form: HTMLFormElement, slot: Element, faults: Fault[]): void {
  const name = slot.id.replace('fault-', '')
  const texts = faults.filter(({ field }) => field === name).map(({ text }) => text)
  slot.textContent = texts.join(' ')
  const input = name === '' ? null : form.querySelector(`[name="${name}"]`)
  if (texts.length === 0) input?.removeAttribute('aria-invalid')
  else input?.setAttribute('aria-invalid', 'true')
  const section = slot.closest('details')
  if (texts.length > 0 && section !== null) section.open = true
}

function element<Name extends keyof HTMLElementTagNameMap>(name: Name, className: string): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  made.className = className
  return made
}
