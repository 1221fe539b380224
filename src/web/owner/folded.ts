import { html, type Html } from '../../http/html.ts'

/** A section that phones show folded; wide screens have room for all of it. */
export function foldedSection(
  { id, title, isOpen }: { id: string; title: string; isOpen: boolean },
  content: Html,
): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title">
    <details class="owner-fold" ${isOpen && html`open`}>
      <summary><h2 id="${id}-title">${title}</h2></summary>
      ${content}
    </details>
  </section>`
}
