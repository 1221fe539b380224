import type { Fault } from '../designer/messages.ts'

/** What the page shows of the design that is being made. */
export interface View {
  /** Shows the image of a design; the first one makes the preview appear. */
  show: (svg: string) => void
  /** Puts faults beside their inputs, in place of those that were there; the image is then one of before. */
  mark: (faults: Fault[]) => void
  /** Says something about the design, also to those who do not see it. */
  say: (text: string) => void
  /** Whether the design is the one that is saved. */
  note: (text: string) => void
}

export function createView(form: HTMLFormElement): View {
  const image = element('img', 'qr')
  const state = element('p', 'quiet')
  const verdict = element('p', 'verdict')
  verdict.ariaLive = 'polite'
  image.alt = 'Preview of the QR code'
  const words = element('div', '')
  words.append(state, verdict)
  const aside = element('aside', 'preview')
  aside.ariaLabel = 'Preview'
  aside.append(image, words)
  let shown = ''
  return {
    show(svg) {
      if (svg === shown) return
      shown = svg
      const before = image.src
      // As an image: nothing in it runs, and nothing outside it is loaded.
      image.src = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }))
      if (before !== '') URL.revokeObjectURL(before)
      if (!aside.isConnected) form.before(aside)
    },
    mark(faults) {
      aside.classList.toggle('faulty', faults.length > 0)
      for (const slot of form.querySelectorAll('.fault')) markOne(form, slot, faults)
    },
    say(text) {
      if (verdict.textContent !== text) verdict.textContent = text
    },
    note(text) {
      state.textContent = text
    },
  }
}

function markOne(form: HTMLFormElement, slot: Element, faults: Fault[]): void {
  const name = slot.id.replace('fault-', '')
  const texts = faults.filter(({ field }) => field === name).map(({ text }) => text)
  slot.textContent = texts.join(' ')
  const input = name === '' ? null : form.querySelector(`[name="${name}"]`)
  if (texts.length === 0) input?.removeAttribute('aria-invalid')
  else input?.setAttribute('aria-invalid', 'true')
  const folded = slot.closest('details')
  if (texts.length > 0 && folded !== null) folded.open = true
}

function element<Name extends keyof HTMLElementTagNameMap>(name: Name, className: string): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  made.className = className
  return made
}
