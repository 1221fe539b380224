import { html, type Html } from '../../http/html.ts'
import { collectionTexts } from '../../texts/collection.ts'
import { actionForm, folded, noticeOf } from './parts.ts'
import { pathOf, type CollectionNotice, type CollectionView } from './view.ts'

/** The designs that are kept to be applied to links. A new one is made on the page of a link. */
export function looksSection(view: CollectionView, notice: CollectionNotice | undefined): Html {
  const { looks, language } = view
  const texts = collectionTexts[language].looks
  return folded(
    { id: 'looks', title: texts.title, isOpen: notice?.at === 'looks' },
    html`${noticeOf(notice, 'looks')}
      <p>${looks.length === 0 ? texts.none : texts.lead}</p>
      <ul class="collection-looks">
        ${looks.map((name) => item(view, name))}
      </ul>`,
  )
}

function item(view: CollectionView, name: string): Html {
  const texts = collectionTexts[view.language].looks
  const hidden = html`<input type="hidden" name="look" value="${name}" />`
  return html`<li>
    <img
      class="qr"
      src="${pathOf(view)}/looks/${encodeURIComponent(name)}"
      alt="${texts.image(name)}"
      loading="lazy"
      width="96"
      height="96"
    />
    <div>
      <b dir="auto">${name}</b>
      ${actionForm(view, 'remove-look', html`${hidden}<button class="bare" aria-label="${texts.removeOf(name)}">${texts.remove}</button>`)}
    </div>
  </li>`
}
