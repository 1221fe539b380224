import { html, type Html } from '../../http/html.ts'
import { designerTexts } from '../../texts/designer.ts'
import { foldedSection } from '../owner/folded.ts'
import { imagePath } from '../image-path.ts'
import { sectionMessage } from '../owner/message.ts'
import type { Notice, OwnerView } from '../owner/view.ts'
import { downloads } from './downloads.ts'
import { DESIGN_FORM, designForm } from './form.ts'
import { poorVerdict } from './verdict.ts'

/** The section of the owner's page in which the QR code is designed and downloaded. */
export function designSection(
  { link, token, formKey, design, preview, pictures, language }: OwnerView,
  notice?: Notice,
): Html {
  const texts = designerTexts[language]
  const verdict = poorVerdict(design, language)
  const isOpen = notice?.at === 'design'
  return foldedSection(
    { id: 'design', title: texts.heading, isOpen },
    html`${isOpen && designMessage(notice, texts.saveAnyway)}
      <div class="card">
        <h3>${texts.downloads}</h3>
        ${verdict !== undefined && html`<p class="note warning">${verdict} ${texts.poorDownloads}</p>`}
        ${downloads(link.code, language)}
      </div>
      <div class="card">
        ${designForm(design, { language, action: `/m/${token}#design`, formKey, revision: link.revision, image: imagePath(link), refused: notice?.design, preview, pictures })}
      </div>`,
  )
}

/** What became of the form; a poor design can be saved from here, far above the form's own button. */
function designMessage(notice: Notice, saveAnyway: string): Html {
  return html`${sectionMessage(notice)}
  ${
    notice.design?.isPoor &&
    html`<p><button form="${DESIGN_FORM}" name="poor" value="yes" class="plain">${saveAnyway}</button></p>`
  }`
}
