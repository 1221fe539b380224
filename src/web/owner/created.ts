import { html, type Html } from '../../http/html.ts'
import { addresses } from '../../links/link.ts'
import { createdTexts } from '../../texts/created.ts'
import { copyingData } from '../copyable.ts'
import { keepPanel } from './keep.ts'
import type { OwnerView } from './view.ts'

const formats = [
  { name: 'PNG', ending: 'png', query: '?size=1024' },
  { name: 'SVG', ending: 'svg', query: '' },
  { name: 'PDF', ending: 'pdf', query: '' },
]

/**
 * What follows a creation: the short link, its code and how to keep it. It stands where the owner's page else has the first two;
 * undefined then.
 */
export function createdPanel(view: OwnerView): Html | undefined {
  if (!isNew(view)) return undefined
  const { link, origin, language } = view
  const texts = createdTexts[language]
  const { short_url: shortUrl } = addresses(link.code, origin)
  return html`<section id="created" class="card created" aria-labelledby="created-title" ${copyingData(language)}>
    <div class="created-link">
      <h2 id="created-title">${texts.ready}</h2>
      <p>${texts.lead}</p>
      <p class="result"><a href="${shortUrl}">${shortUrl}</a></p>
      <p class="row">
        <button type="button" data-copy="${shortUrl}" hidden>${texts.copyLink}</button>
        <button type="button" class="plain" data-share="${shortUrl}" hidden>${texts.share}</button>
        <a href="/${link.code}+">${texts.check}</a>
      </p>
    </div>
    ${codeImage(view)} ${keepPanel(view)}
  </section>`
}

function codeImage({ link, origin, language }: OwnerView): Html {
  const texts = createdTexts[language]
  const { code, revision } = link
  // Browsers cache images for minutes: the revision makes them request this one again after a change.
  return html`<div class="created-code">
    <img
      class="qr"
      src="/${code}/qr.svg?v=${revision}"
      alt="${texts.image(addresses(code, origin).short_url)}"
      width="224"
      height="224"
    />
    <p class="row">
      ${formats.map(
        ({ name, ending, query }) =>
          html`<a
            class="button plain"
            href="/${code}/qr.${ending}${query}"
            download="${code}.${ending}"
            aria-label="${texts.download(name)}"
            >${name}</a
          >`,
      )}
    </p>
  </div>`
}

/** Whether the page is the one that follows a creation. */
export function isNew({ isCreated, link }: OwnerView): boolean {
  return isCreated && link.suspension === null
}
