import { UNKNOWN_VALUE } from '../../dimensions/dimension.ts'
import type { Page } from '../../http/document.ts'
import { html, type Html } from '../../http/html.ts'
import { collectionTexts } from '../../texts/collection.ts'
import { labelTexts } from '../../texts/labels.ts'
import { keyInput } from '../creation.ts'
import { labelForm } from '../label-form.ts'
import { faultText } from '../faults.ts'
import { reachabilityWarning } from '../reachability.ts'
import { statisticsTexts } from '../../texts/statistics.ts'
import { formatsIn } from '../statistics/formats.ts'
import { collectionName } from '../statistics/of-collection.ts'
import { archiveSection } from './archive.ts'
import { keepSection } from './keep.ts'
import { listSection, queryOf } from './list.ts'
import { looksSection } from './looks.ts'
import { actionForm, folded, noticeOf, typed } from './parts.ts'
import { sharesSection } from './shares.ts'
import { spreadsheetSection } from './spreadsheet.ts'
import { collectionStatistics } from './statistics.ts'
import { settingsSection } from './settings.ts'
import { renderField } from '../owner/settings/field.ts'
import { webhookSection } from './webhook.ts'
import { pathOf, type CollectionNotice, type CollectionView } from './view.ts'

/** The page of a collection, for whoever has its key. */
export function collectionPage(view: CollectionView, notice?: CollectionNotice): Page {
  const { overview, language, origin, scripts } = view
  const texts = collectionTexts[language]
  const isEmpty = overview.links === 0
  const isKeepFirst = isEmpty || view.isCreated
  return {
    title: texts.pageTitle(nameOf(view)),
    site: { language },
    styles: ['collection'],
    scripts,
    body: html`<main id="top">
      ${noticeOf(notice, undefined)}
      <header>
        <h1 lang="" dir="auto">${nameOf(view)}</h1>
        ${figures(view)} ${!isEmpty && partLinks(language)}
      </header>
      ${reachabilityWarning(origin, language)}
      <div class="collection-layout">
        <div>${isKeepFirst && keepSection(view)} ${createSection(view, notice)} ${listSection(view, notice)}</div>
        <aside>
          ${!isKeepFirst && keepSection(view)} ${!isEmpty && campaignsSection(view)} ${looksSection(view, notice)}
          ${!isEmpty && sharesSection(view, notice)} ${joinSection(view, notice)} ${!isEmpty && labelsSection(view)}
          ${!isEmpty && archiveSection(view)} ${!isEmpty && spreadsheetSection(view)} ${webhookSection(view, notice)}
          ${settingsSection(view, notice)}
        </aside>
      </div>
      ${!isEmpty && collectionStatistics(view)}
    </main>`,
  }
}

/** All codes in one PDF. */
function labelsSection({ token, language, overview }: CollectionView): Html {
  const campaigns = overview.campaigns.map(({ value }) => value)
  const form = {
    language,
    action: `/c/${token}/labels.pdf`,
    campaigns,
    links: overview.links,
    hasPlacements: true,
    isOfLink: false,
  }
  return folded({ id: 'labels', title: labelTexts[language].title, isOpen: false }, labelForm(form))
}

function nameOf({ overview, language }: CollectionView): string {
  return collectionName(overview, language)
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

/** On a phone, what is below the links is far away. */
function partLinks(language: CollectionView['language']): Html {
  const { list, looks, settings } = collectionTexts[language]
  const parts = [
    ['links', list.title],
    ['statistics', statisticsTexts[language].heading],
    ['looks', looks.title],
    ['settings', settings.title],
  ]
  return html`<nav class="row" aria-label="${collectionTexts[language].parts}">
    ${parts.map(([id, title]) => html`<a href="#${id}">${title}</a>`)}
  </nav>`
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
    renderField({
      id: `create-${name}`,
      name,
      label,
      value: typed(own, name) ?? '',
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
${typed(own, 'tokens')}</textarea>
        <p class="settings-buttons"><button class="plain">${texts.button}</button></p>`,
    )}`,
  )
}
