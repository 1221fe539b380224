import { html, type Html } from '../../http/html.ts'
import { designerTexts } from '../../texts/designer.ts'
import { sectionMessage } from '../owner/message.ts'
import type { Notice, OwnerView } from '../owner/view.ts'
import { downloads } from './downloads.ts'
import { designForm } from './form.ts'

/** The section of the owner's page in which the QR code is designed and downloaded. */
export function designSection(
  { link, token, formKey, design, preview, pictures, language }: OwnerView,
  notice?: Notice,
): Html {
  const texts = designerTexts[language]
  return html`<section id="design" aria-labelledby="design-heading">
    <h2 id="design-heading">${texts.heading}</h2>
    ${notice?.at === 'design' && sectionMessage(notice)}
    <div class="card">
      <h3>${texts.downloads}</h3>
      ${downloads(link.code, language)}
    </div>
    <div class="card">
      ${designForm(design, { language, action: `/m/${token}#design`, formKey, revision: link.revision, refused: notice?.design, preview, pictures })}
    </div>
  </section>`
}
