import { html, type Html } from '../http/html.ts'

/** A text with the button that copies it, which a script shows: `client/copy.ts` */
export function copyable(text: string, label: string): Html {
  return html`<code>${text}</code>
    <button type="button" class="bare copy" data-copy="${text}" aria-label="${label}: ${text}" hidden>${label}</button>`
}
