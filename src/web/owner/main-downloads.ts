import { html, type Html } from '../../http/html.ts'
import { designerTexts } from '../../texts/designer.ts'
import { printPath } from './print-path.ts'
import type { OwnerView } from './view.ts'

/** The three files of a link that nearly all owners need, by what they are for. The section of the design has all others. */
export function mainDownloads(view: OwnerView): Html {
  const { code } = view.link
  const texts = designerTexts[view.language]
  const files = [
    { label: texts.toPrint, path: printPath(view), file: `${code}-a4.pdf` },
    { label: texts.toSend, path: `/${code}/qr.png?size=1024`, file: `${code}.png` },
    { label: texts.toPrinter, path: `/${code}/qr.pdf`, file: `${code}.pdf` },
  ]
  return html`<ul class="main-downloads" aria-label="${texts.downloads}">
    ${files.map(
      ({ label, path, file }) => html`<li><a class="button plain" href="${path}" download="${file}">${label}</a></li>`,
    )}
  </ul>`
}
