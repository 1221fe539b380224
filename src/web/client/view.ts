import type { PreviewTexts } from '../../texts/preview.ts'
import type { Fault } from '../designer/messages.ts'

/** The preview of a design on the page. */
export interface View {
  /** Shows the image of a design; the first one makes the preview appear. */
  showImage: (svg: string) => void
  /** Shows errors at their inputs in place of earlier ones, and fades the image, which is then out of date. */
  showFaults: (faults: Fault[]) => void
  /** Shows the result of a check; screen readers announce it. */
  showResult: (text: string, isPoor?: boolean) => void
  /** Shows whether the design is saved. */
  showStatus: (text: string) => void
}

export function createView(form: HTMLFormElement, texts: PreviewTexts): View {
  const image = element('img', 'qr')
  const status = element('p', 'quiet')
  const result = element('p', 'verdict')
  result.ariaLive = 'polite'
  image.alt = texts.image
  const sentences = element('div', '')
  sentences.append(status, result)
  // On phones, the form's own button is screens away.
  const save = element('button', '')
  save.setAttribute('form', form.id)
  save.textContent = texts.save
  const aside = element('aside', 'preview')
  aside.ariaLabel = texts.label
  aside.append(image, sentences, save)
  let shown = ''
  return {
    showImage(svg) {
      if (svg === shown) return
      shown = svg
      const before = image.src
      // In an img element, an SVG runs no script and loads nothing.
      image.src = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }))
      if (before !== '') URL.revokeObjectURL(before)
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
