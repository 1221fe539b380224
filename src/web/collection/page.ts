import { UNKNOWN_VALUE } from '../../dimensions/dimension.ts'
import type { Page } from '../../http/document.ts'
import { html, type Html } from '../../http/html.ts'
import { collectionTexts } from '../../texts/collection.ts'
import { copyingData } from '../copyable.ts'
import { keyInput } from '../creation.ts'
import { faultText } from '../faults.ts'
import { reachabilityWarning } from '../reachability.ts'
import { formatsIn } from '../statistics/formats.ts'
import { listSection, queryOf } from './list.ts'
import { actionForm, folded, noticeOf, textField } from './parts.ts'
import { spreadsheetSection } from './spreadsheet.ts'
import { settingsSection } from './settings.ts'
import { pathOf, type CollectionNotice, type CollectionView } from './view.ts'

/** The page of a collection, for whoever has its key. */
export function collectionPage(view: CollectionView, notice?: CollectionNotice): Page {
  const { overview, language, origin, scripts } = view
  const texts = collectionTexts[language]
  const isEmpty = overview.links === 0
  return {
    title: texts.pageTitle(nameOf(view)),
    site: { language },
    styles: ['collection'],
    scripts,
    body: html`<main id="top">
      ${noticeOf(notice, undefined)}
      <header>
        <h1 lang="" dir="auto">${nameOf(view)}</h1>
        ${figures(view)}
      </header>
      ${reachabilityWarning(origin, language)}
      <div class="collection-layout">
        <div>${isEmpty && keepSection(view)} ${createSection(view, notice)} ${listSection(view, notice)}</div>
        <aside>
          ${!isEmpty && keepSection(view)} ${!isEmpty && campaignsSection(view)} ${joinSection(view, notice)}
          ${!isEmpty && spreadsheetSection(view)} ${settingsSection(view, notice)}
        </aside>
      </div>
    </main>`,
  }
}

function nameOf({ overview, language }: CollectionView): string {
  return overview.name?.trim() || collectionTexts[language].unnamed
}

function figures({ overview, language }: CollectionView): Html {
  const texts = collectionTexts[language]
  const { number } = formatsIn(language)
  const { links, totals, as_of: asOf } = overview
  const parts = [
    texts.links(number(links), links === 1),
    texts.visits(number(totals.scans), totals.scans === 1),
    texts.people(number(totals.humans)),
    ...(asOf === undefined ? [] : [texts.late]),
  ]
  return html`<p class="quiet">${parts.join(' · ')}</p>`
}

/** How its owner finds the page again. */
function keepSection(view: CollectionView): Html {
  const { language, origin } = view
  const texts = collectionTexts[language].keep
  const address = origin + pathOf(view)
  const { title, text } = texts.message(nameOf(view), address)
  const mail = `mailto:?subject=${encodeURIComponent(title)}&body=${encodeURIComponent(text.replaceAll('\n', '\r\n'))}`
  return html`<details
    class="card settings-card"
    id="keep"
    ${copyingData(language)}
    ${view.overview.links === 0 && html` open`}
  >
    <summary><h2>${texts.title}</h2></summary>
    <p><strong>${texts.only}</strong> ${texts.more}</p>
    <p class="keep-address"><a href="${pathOf(view)}">${address}</a></p>
    <p class="row">
      <a class="button plain" href="${mail}">${texts.send}</a>
      <button type="button" class="plain" data-copy="${address}" aria-label="${texts.copyIt}" hidden>
        ${texts.copy}
      </button>
    </p>
  </details>`
}

/** A short link with one field, as on the page home; other kinds are made there. */
function createSection(view: CollectionView, notice: CollectionNotice | undefined): Html | undefined {
  const { language, overview, creation } = view
  if (creation === 'closed') return undefined
  const texts = collectionTexts[language].create
  const own = notice?.at === 'create' ? notice : undefined
  const fault = (name: string) => {
    const error = own?.problem?.errors.find(({ pointer }) => pointer === `/${name}`)
    return error && faultText(error, language)
  }
  const field = (name: 'target' | 'title' | 'campaign', label: string, attributes: Html, hint?: string) =>
    textField({
      id: `create-${name}`,
      name,
      label,
      value: own?.values?.[name],
      fault: fault(name),
      attributes,
      ...(hint !== undefined && { hint }),
    })
  return folded(
    { id: 'create', title: texts.title, isOpen: own !== undefined || overview.links === 0 },
    html`${noticeOf(notice, 'create')}
    ${actionForm(
      view,
      'create',
      html`${field('target', texts.target, html`type="text" inputmode="url" autocapitalize="none" spellcheck="false" required`)}
        ${field('title', texts.name, html`type="text"`)}
        ${field('campaign', texts.campaign, html`type="text" list="campaigns"`, texts.campaignHint)}
        ${keyInput(creation, language)}
        <p class="settings-buttons"><button>${texts.button}</button></p>`,
    )}`,
  )
}

function campaignsSection(view: CollectionView): Html {
  const { overview, language } = view
  const texts = collectionTexts[language]
  const { number } = formatsIn(language)
  const { title, lead, campaign, links, scans } = texts.campaigns
  const named = overview.campaigns.some(({ value }) => value !== null)
  const rows = overview.campaigns.map(
    ({ value, links: count, scans: visits }) =>
      html`<tr>
        <td dir="auto">
          <a href="${pathOf(view)}${queryOf({ asked: { campaign: value ?? UNKNOWN_VALUE } })}#links"
            >${value ?? texts.list.none}</a
          >
        </td>
        <td>${number(count)}</td>
        <td>${number(visits)}</td>
      </tr>`,
  )
  return folded(
    { id: 'campaigns', title, isOpen: named },
    named
      ? html`<table class="collection-campaigns">
          <thead>
            <tr>
              <th scope="col">${campaign}</th>
              <th scope="col">${links}</th>
              <th scope="col">${scans}</th>
            </tr>
          </thead>
          <tbody>
            ${rows}
          </tbody>
        </table>`
      : html`<p>${lead}</p>`,
  )
}

function joinSection(view: CollectionView, notice: CollectionNotice | undefined): Html {
  const texts = collectionTexts[view.language].join
  const own = notice?.at === 'join' ? notice : undefined
  const typed = own?.values?.['tokens']
  return folded(
    { id: 'join', title: texts.title, isOpen: own !== undefined },
    html`${noticeOf(notice, 'join')}
    ${actionForm(
      view,
      'join',
      html`<label for="join-tokens">${texts.label}</label>
        <p class="hint" id="join-hint">${texts.hint}</p>
        <textarea
          id="join-tokens"
          name="tokens"
          rows="4"
          autocapitalize="none"
          autocomplete="off"
          spellcheck="false"
          aria-describedby="join-hint"
          required
        >
${typeof typed === 'string' ? typed : ''}</textarea>
        <p class="settings-buttons"><button class="plain">${texts.button}</button></p>`,
    )}`,
  )
}
