import { randomUUID } from 'node:crypto'
import type { Page } from '../http/document.ts'
import { html, type Html } from '../http/html.ts'
import { kinds } from '../links/kinds/index.ts'
import type { CreationGate } from '../keys/open.ts'
import type { Kind } from '../links/kinds/kind.ts'
import { creationTexts } from '../texts/creation.ts'
import { printedAddress } from '../qr/print/printed-address.ts'
import { fieldTexts } from '../texts/fields.ts'
import { homeTexts } from '../texts/home.ts'
import type { Language } from '../texts/language.ts'
import { closedNotice, keyInput } from './creation.ts'
import { firstInvalid, ownerFields, renderFields, renderProblem, utmFields, type FormInput } from './form.ts'
import { collectionField, isCollectionAtFault } from './home-collection.ts'
import { kindInputs } from './kind-inputs.ts'
import { hasPeriod, periodInputs } from './period.ts'
import { poster, type PosterCode } from './home-poster.ts'
import { reachabilityWarning } from './reachability.ts'
import type { HomeTexts } from './client/home-texts.ts'
import type { TypedInput } from './typed-input.ts'
import { myLinksTexts } from '../texts/my-links.ts'
import { myLinksSection } from './my-links/section.ts'

/** The fields of the form that creates a link of a kind. */
export function creationFields(kind: Kind): FormInput[] {
  return [...kind.form, ...furtherFields]
}

const furtherFields: FormInput[] = [{ name: 'alias', input: 'text' }, ...ownerFields]

/** A refused form, to be shown again. */
export interface RefusedForm extends TypedInput {
  idempotencyKey: string
  /** The token of the collection that was chosen. */
  collection?: string | undefined
}

/** What the page shows besides the form. */
export interface HomeView {
  kind: Kind
  language: Language
  /** Of the short links that it creates. */
  origin: string
  /** The text of a QR code, in which `{code}` stands for the code. */
  codeText: string
  /** Of the poster. */
  code: PosterCode
  /** Whether a script draws what the link will look like. */
  isLive: boolean
  /** The paths of the page's scripts. */
  scripts: string[]
  /** That of the script which makes a collection of the kept links. */
  everyDeviceScript: string | undefined
  creation: CreationGate['mode']
  refused?: RefusedForm | undefined
}

/** The page that creates a link, one kind at a time. */
export function homePage(view: HomeView): Page {
  const { language, origin, codeText, isLive, scripts, kind, creation } = view
  const texts = homeTexts[language]
  const data =
    isLive &&
    html`data-address="${printedAddress(origin, '{code}')}" data-code-text="${codeText}"
    data-texts="${JSON.stringify(liveTexts(language))}"`
  return {
    title: texts.title,
    description: creation === 'open' ? texts.description : texts.title,
    site: { language, section: 'create' },
    scripts,
    body: html`<main class="home" ${data}>
      ${
        creation === 'closed'
          ? html`<h1>${texts.heading}</h1>
              ${reachabilityWarning(origin, language)} ${closedNotice(language)}`
          : html`<div class="columns">
              <div>
                <h1>${texts.heading}</h1>
                <p class="home-lead">${creation === 'token' ? creationTexts[language].lead : texts.lead}</p>
                ${reachabilityWarning(origin, language)} ${tabs(kind, language)} ${creationForm(view)}
                ${toMyLinks(language)}
              </div>
              ${poster(view)}
            </div>`
      }
      ${isLive && kinds.filter((each) => each !== kind).map((each) => spareFields(each, language))}
      ${myLinksSection(view)}
    </main>`,
  }
}

/** The texts of the page's script, with those of the previews. */
function liveTexts(language: Language): HomeTexts {
  return {
    ...homeTexts[language].live,
    previews: Object.fromEntries(kinds.map(({ name, texts }) => [name, texts[language].preview])),
  }
}

function tabs(current: Kind, language: Language): Html {
  const links = kinds.map((kind) => {
    const marks = kind === current && html` aria-current="page"`
    const takesUtm = kind.takesUtm && html` data-takes-utm`
    return html`<a href="/?kind=${kind.name}" data-kind="${kind.name}" ${marks}${takesUtm}
      >${kind.texts[language].name}</a
    >`
  })
  return html`<nav class="tabs" aria-label="${homeTexts[language].kinds}">${links}</nav>`
}

function creationForm({ kind, language, refused, isLive, creation }: HomeView): Html {
  const texts = homeTexts[language]
  const errors = refused?.problem.errors ?? []
  const isKindAtFault = firstInvalid(kind.form, errors) !== undefined
  const isKindFocused = errors.length === 0 && !isCollectionAtFault(refused)
  return html`<form class="card" method="post" action="/?create">
    ${renderProblem(refused?.problem, '', language)}
    <input type="hidden" name="kind" value="${kind.name}" />
    <input type="hidden" name="idempotency_key" value="${refused?.idempotencyKey ?? randomUUID()}" />
    <div class="home-kind" data-kind="${kind.name}">
      ${renderFields(formOf(kind, language, isKindFocused), refused?.values ?? {}, errors, { language })}
    </div>
    ${moreOptions({ kind, language, refused, isLive }, !isKindAtFault)} ${collectionField(language, refused)}
    ${keyInput(creation, language)}
    <button class="home-create">${texts.create}</button>
  </form>`
}

/** The fields of a kind; the address of the first kind gets the focus and a text of this page. */
function formOf(kind: Kind, language: Language, isFocused: boolean): FormInput[] {
  const { target, targetHint } = homeTexts[language]
  return kindInputs(kind, language).map((field) =>
    field.name === 'target' ? { ...field, label: target, hint: targetHint, isFocused } : field,
  )
}

function moreOptions(
  { kind, language, refused, isLive }: Pick<HomeView, 'kind' | 'language' | 'refused' | 'isLive'>,
  focus: boolean,
): Html {
  const { errors } = refused?.problem ?? { errors: [] }
  const { values = {}, utm = {} } = refused ?? {}
  const isOwnAtFault = firstInvalid(furtherFields, errors) !== undefined
  const isOfPeriod = hasPeriod(values, errors)
  const isUsed =
    furtherFields.some(({ name }) => values[name] !== undefined) || isOfPeriod || Object.keys(utm).length > 0
  const options = { language, focus: focus && !isOwnAtFault }
  const section = html`<fieldset class="home-utm">
    <legend>${fieldTexts[language].utm}</legend>
    <p class="hint">${homeTexts[language].utmHint}</p>
    ${utmFields(utm, errors, options)}
  </fieldset>`
  return html`<details ${isUsed && html` open`}>
    <summary>${homeTexts[language].more}</summary>
    ${renderFields(furtherFields, values, errors, { language, focus })}
    ${periodInputs(values, errors, language, options.focus)}
    ${kind.takesUtm ? section : isLive && html`<template class="home-utm-spare">${section}</template>`}
  </details>`
}

/** The fields of another kind, which the script shows when its tab is chosen. */
function spareFields(kind: Kind, language: Language): Html {
  return html`<template data-kind="${kind.name}">
    <div class="home-kind" data-kind="${kind.name}">
      ${renderFields(formOf(kind, language, false), {}, [], { language })}
    </div>
  </template>`
}

/** Leads to the section past all that only who creates a link needs; its script shows it when there are kept links. */
function toMyLinks(language: Language): Html {
  const { title, here } = myLinksTexts[language]
  return html`<p class="kept-here" hidden><a href="#my-links">${title}</a> ${here} <b></b></p>`
}
