import { html, type Html } from '../../http/html.ts'
import { addresses } from '../../links/link.ts'
import { createdTexts } from '../../texts/created.ts'
import { copyingData } from '../copyable.ts'
import { keptLink } from '../my-links/kept-link.ts'
import { imagePath } from './image-path.ts'
import type { OwnerView } from './view.ts'

const formats = [
  { name: 'PNG', ending: 'png', query: '?size=1024' },
  { name: 'SVG', ending: 'svg', query: '' },
  { name: 'PDF', ending: 'pdf', query: '' },
]

/**
 * What follows a creation: the short link, its code and its key. It stands where the owner's page else has the first two;
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
    ${codeImage(view)}
    <div class="created-key">
      <h3>${texts.keyTitle}</h3>
      <p><strong>${texts.key}</strong> ${texts.keyMore}</p>
      ${keyControls(view)}
    </div>
  </section>`
}

function codeImage({ link, origin, language }: OwnerView): Html {
  const texts = createdTexts[language]
  const { code } = link
  return html`<div class="created-code">
    <img
      class="qr"
      src="${imagePath(link)}"
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

/** The address that is the key to a link, with what saves it. */
function keyControls(view: OwnerView): Html {
  const { token, origin, language } = view
  const texts = createdTexts[language]
  const key = `${origin}/m/${token}`
  return html`<p class="created-address"><a href="/m/${token}">${key}</a></p>
    <noscript><p class="hint">${texts.without}</p></noscript>
    <p class="row">
      <button type="button" class="plain" data-copy="${key}" hidden>${texts.copyKey}</button>
      <button type="button" class="plain" data-save hidden>${texts.save}</button>
    </p>
    ${keepControl(view)}`
}

function isNew({ isCreated, link }: OwnerView): boolean {
  return isCreated && link.suspension === null
}

/** Lets the owner of an older link keep its key as well. */
export function keepSection(view: OwnerView): Html | undefined {
  return isNew(view) ? undefined : keepControl(view)
}

/** Lets the owner keep the key in this browser. Nothing is kept unless the box is ticked. */
function keepControl({ link, token, design, origin, language }: OwnerView): Html {
  const texts = createdTexts[language]
  return html`<div
    class="created-keep"
    data-link="${JSON.stringify(keptLink(link, token, design))}"
    data-origin="${origin}"
    data-texts="${JSON.stringify(texts.island)}"
    hidden
  >
    <label class="choice"
      ><input type="checkbox" autocomplete="off" aria-describedby="keep-hint" /> ${texts.keep}</label
    >
    <p id="keep-hint" class="hint">${texts.keepHint}</p>
    <p class="small" aria-live="polite"></p>
  </div>`
}
