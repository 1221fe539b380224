import { html, type Html } from '../../../http/html.ts'
import type { Viewer } from '../kind.ts'

/** In the browsers of these apps, the button does nothing. */
const withoutFiles = new Set(['Facebook', 'Instagram', 'LinkedIn', 'Messenger', 'Threads', 'TikTok'])

interface Wording {
  save: string
  /** What an app cannot do, and what helps. */
  inApp: (app: string) => string
  leaveApp: string
}

/** The button that saves the file of a link, below what people in some apps have to know. */
export function saveButton(
  { code, extension, isProtected }: { code: string; extension: string; isProtected: boolean },
  { browser }: Pick<Viewer, 'browser'>,
  { save, inApp, leaveApp }: Wording,
): Html {
  // With a password, the address shows a form first, which must not be saved as the file.
  const download = !isProtected && html`download`
  return html`${
      browser !== null &&
      withoutFiles.has(browser) &&
      html`<p class="note warning"><strong>${inApp(browser)}</strong> ${leaveApp}</p>`
    }
    <p><a class="button wide" href="/${code}.${extension}" ${download}>${save}</a></p>`
}
