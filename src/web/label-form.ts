import { html, type Html } from '../http/html.ts'
import { countOf, labelFormats, type LabelFormat, type Paper } from '../qr/print/labels.ts'
import { templates, typographies, type TemplateName, type TypographyName } from '../qr/print/template.ts'
import { MAX_CODES } from '../print/schemas.ts'
import { linkParts } from './link-parts.ts'
import { labelTexts } from '../texts/labels.ts'
import type { Language } from '../texts/language.ts'

/** The form's fields, which are the parameters of the address of the PDF. */
export interface LabelForm {
  language: Language
  /** The address of the PDF. */
  action: string
  /** The campaigns to choose from; null is of links without one. */
  campaigns: (string | null)[]
  /** Whether links have places. */
  hasPlacements: boolean
  /** How many links there are. */
  links: number
  /** Whether it is a link of its own, whose places are printed. */
  isOfLink: boolean
}

/** A form that makes a PDF of many codes; it works without scripts, and opens the PDF in a tab of its own. */
export function labelForm(form: LabelForm): Html {
  const texts = labelTexts[form.language]
  return html`<form class="label-form" method="get" action="${form.action}" target="_blank">
    <p>${texts.lead}</p>
    <p>
      <label for="label-onto">${texts.onto}</label>
      <select id="label-onto" name="onto">
        ${(['a4', 'letter'] as const).map((paper) => formatsOn(paper, form.language))}
        <optgroup label="${texts.pages}">
          ${(Object.keys(templates) as TemplateName[]).map((paper) => html`<option value="paper:${paper}">${texts.papers[paper]}</option>`)}
        </optgroup>
      </select>
    </p>
    <p>
      <label for="label-free">${texts.free}</label>
      <input id="label-free" name="free" maxlength="40" autocomplete="off" aria-describedby="label-free-hint" />
      <small id="label-free-hint">${texts.freeHint}</small>
    </p>
    ${textFields(form)}
    <p>
      <label for="label-style">${texts.style}</label>
      <select id="label-style" name="style">
        ${(Object.keys(typographies) as TypographyName[]).map((name) => html`<option value="${name}">${texts.styles[name]}</option>`)}
      </select>
    </p>
    ${whichFields(form)} ${placeFields(form.language)}
    <p><button class="plain">${texts.button}</button></p>
  </form>`
}

function formatsOn(paper: Paper, language: Language): Html {
  const texts = labelTexts[language]
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: 1 })
  const describe = (format: LabelFormat) =>
    format.isRound
      ? texts.round(number.format(format.width), countOf(format))
      : texts.measures(number.format(format.width), number.format(format.height), countOf(format))
  const formats = Object.values(labelFormats).filter((format) => format.paper === paper)
  return html`<optgroup label="${texts[paper]}">
    ${formats.map((format) => html`<option value="labels:${format.id}" ${format.id === 'avery-l7160' && html` selected`}>${format.name}: ${describe(format)}</option>`)}
  </optgroup>`
}

/** What stands beside a code: of a link's places, their names come first. */
function textFields({ language, isOfLink, hasPlacements }: LabelForm): Html {
  const texts = labelTexts[language]
  const first = isOfLink && hasPlacements ? 'placement' : 'title'
  const all = ['title', 'alias', 'campaign', 'placement', 'none', 'own'] as const
  return html`<p>
      <label for="label-text">${texts.text}</label>
      <select id="label-text" name="text">
        ${all.map((name) => html`<option value="${name}" ${name === first && html` selected`}>${texts.texts[name]}</option>`)}
      </select>
    </p>
    <p>
      <label for="label-own">${texts.own}</label>
      <input id="label-own" name="own" maxlength="200" autocomplete="off" />
    </p>`
}

function whichFields({ language, campaigns, hasPlacements, isOfLink, links }: LabelForm): Html {
  const texts = labelTexts[language]
  return html`${
    links > MAX_CODES &&
    html`<p>
      <label for="label-part">${texts.part}</label>
      <select id="label-part" name="part">
        ${linkParts(links, MAX_CODES, language).map(([value, text]) => html`<option value="${value}">${text}</option>`)}
      </select>
    </p>`
  }
  ${
    campaigns.length > 1 &&
    html`<p>
      <label for="label-campaign">${texts.campaign}</label>
      <select id="label-campaign" name="campaign">
        <option value="">${texts.all}</option>
        ${campaigns.map((value) => html`<option value="${value ?? '~'}">${value ?? texts.none}</option>`)}
      </select>
    </p>`
  }
  ${
    hasPlacements &&
    html`<p>
      <label class="choice"
        ><input type="checkbox" name="placements" value="1" ${isOfLink && html` checked`} />${texts.placements}</label
      >
    </p>`
  }`
}

function placeFields(language: Language): Html {
  const texts = labelTexts[language]
  const moved = (name: 'x' | 'y', label: string) =>
    html`<label>${label} <input type="number" name="${name}" min="-10" max="10" step="0.1" value="0" /></label>`
  return html`<p>
      <label for="label-start">${texts.start}</label>
      <input id="label-start" type="number" name="start" min="1" value="1" aria-describedby="label-start-hint" />
      <small id="label-start-hint">${texts.startHint}</small>
    </p>
    <fieldset>
      <legend>${texts.offset}</legend>
      ${moved('x', texts.right)} ${moved('y', texts.down)}
      <small>
        ${texts.offsetHint}
        <a href="/api/print/calibration.pdf?paper=a4&amp;language=${language}" target="_blank">A4</a>,
        <a href="/api/print/calibration.pdf?paper=letter&amp;language=${language}" target="_blank">US Letter</a>
      </small>
    </fieldset>`
}
