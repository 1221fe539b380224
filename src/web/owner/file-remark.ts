import { html, type Html } from '../../http/html.ts'
import { fileHost } from '../../lib/file-host.ts'
import { fillText } from '../../lib/fill-text.ts'
import { homeTexts } from '../../texts/home.ts'
import type { OwnerView } from './view.ts'

/** Remarks that the destination is the name of a file, which leads nowhere. */
export function fileRemark({ link, language }: OwnerView): Html | undefined {
  const host = link.target === null ? undefined : fileHost(link.target)
  if (host === undefined) return undefined
  return html`<p class="note warning" role="note">${fillText(homeTexts[language].live.file, { host })}</p>`
}
