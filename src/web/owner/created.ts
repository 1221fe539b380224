import type { Page } from '../../http/document.ts'
import { html, type Html } from '../../http/html.ts'
import { addresses } from '../../links/link.ts'
import { createdTexts } from '../../texts/created.ts'
import { ownerTexts } from '../../texts/owner.ts'
import { printTexts } from '../../texts/print.ts'
import { tryTexts } from '../../texts/try.ts'
import { copyingData } from '../copyable.ts'
import { reachabilityWarning } from '../reachability.ts'
import { linkName } from '../link-name.ts'
import { fileRemark } from './file-remark.ts'
import { imagePath } from '../image-path.ts'
import { collectionLink, keepPanel } from './keep.ts'
import { mainDownloads } from './main-downloads.ts'
import type { OwnerView } from './view.ts'

/** Whether the page is the one that follows a creation. */
export function isNew({ isCreated, link }: OwnerView): boolean {
  return isCreated && link.suspension === null
}

/**
 * What follows a creation: the short link, its code, how to get it onto paper and how to keep it, on one screen of a phone.
 * Everything else is at the address of the link's page.
 */
export function createdPage(view: OwnerView, message: Html | undefined): Page {
  const { link, access, origin, language } = view
  const texts = createdTexts[language]
  const { short_url: shortUrl } = addresses(link.code, origin)
  return {
    title: ownerTexts[language].pageTitle(linkName(link)),
    site: { language },
    styles: ['owner'],
    scripts: view.scripts,
    body: html`<main id="top">
      ${collectionLink(view)} ${message} ${reachabilityWarning(origin, language)} ${fileRemark(view)}
      <section id="created" class="card created" aria-labelledby="created-title" ${copyingData(language)}>
        <div class="created-link">
          <h1 id="created-title">${texts.ready}</h1>
          <p class="result"><a href="${shortUrl}">${shortUrl}</a></p>
          <p class="row">
            <button type="button" data-copy="${shortUrl}" hidden>${texts.copyLink}</button>
            <button type="button" class="plain" data-share="${shortUrl}" hidden>${texts.share}</button>
          </p>
        </div>
        ${codeImage(view, shortUrl)} ${keepPanel(view)}
      </section>
      <p><a href="${access.page}">${texts.toPage}</a></p>
      <p><a href="${access.page}/print">${printTexts[language].link}</a></p>
      <p><a href="${access.page}/try">${tryTexts[language].link}</a></p>
      <p><a href="/${link.code}+">${texts.check}</a></p>
      ${access.collection === undefined && html`<p><a href="/">${ownerTexts[language].another}</a></p>`}
    </main>`,
  }
}

function codeImage(view: OwnerView, shortUrl: string): Html {
  return html`<div class="created-code">
    <img
      class="qr"
      src="${imagePath(view.link)}"
      alt="${createdTexts[view.language].image(shortUrl)}"
      width="224"
      height="224"
    />
    ${mainDownloads(view)}
  </div>`
}
