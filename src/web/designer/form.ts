import { html, type Html } from '../../http/html.ts'
import type { Design } from '../../qr/design/schema.ts'
import { designFaultTexts } from '../../texts/design-faults.ts'
import { designerTexts, type DesignerTexts as Texts, type DesignerTexts } from '../../texts/designer.ts'
import { previewTexts } from '../../texts/preview.ts'
import type { Language } from '../../texts/language.ts'
import {
  checkbox,
  choices,
  collapsed,
  color,
  customColor,
  faultsBelow,
  input,
  select,
  type FormState,
} from './inputs.ts'
import { valuesOfDesign, type DesignValues } from './values.ts'
import type { Fault } from './messages.ts'
import { poorVerdict } from './verdict.ts'
import type { DesignerPictures } from './pictures.ts'
import { MAX_LOGO_BYTES } from '../../qr/logo/logo.ts'
import { hinted } from '../hinted.ts'

/** What the form shows instead of the saved design, after a design was refused. */
export interface RefusedDesign {
  values: DesignValues
  faults: Fault[]
  /** Whether it can be saved all the same, when the owner says so once more. */
  isPoor?: boolean
}

/** Input of the live preview: the paths of its script and font, and the text that the QR code encodes. */
export interface Preview {
  script: string
  font: string
  text: string
}

interface DesignForm {
  language: Language
  action: string
  formKey: string
  revision: number
  /** The address of the saved image. */
  image: string
  refused: RefusedDesign | undefined
  preview: Preview | undefined
  pictures: DesignerPictures
}

/** The id of the form, for a button outside of it. */
export const DESIGN_FORM = 'design-form'

/** The form in which an owner designs the QR code. */
export function designForm(design: Design | undefined, options: DesignForm): Html {
  const { language, action, formKey, revision, refused, preview, pictures } = options
  const texts = designerTexts[language]
  const state = { values: refused?.values ?? valuesOfDesign(design), faults: refused?.faults ?? [] }
  const verdict = poorVerdict(design, language)
  // The buttons of the looks are not the form's: Enter in one of its fields must save the form itself.
  return html`<form method="post" action="${action}" id="looks">
      <input type="hidden" name="action" value="design" />
      <input type="hidden" name="idempotency_key" value="${formKey}" />
      <input type="hidden" name="revision" value="${revision}" />
    </form>
    <div class="designer">
      ${verdict !== undefined && html`<p class="note warning saved-verdict">${verdict}</p>`}
      <form
        method="post"
        action="${action}"
        enctype="multipart/form-data"
        class="design"
        id="${DESIGN_FORM}"
        novalidate
        ${preview && dataOf(design, verdict, options, preview)}
      >
        <input type="hidden" name="action" value="design" />
        <input type="hidden" name="idempotency_key" value="${formKey}" />
        <input type="hidden" name="revision" value="${revision}" />
        ${designInputs(state, design, { texts, pictures })}
        <button>${texts.save}</button>
      </form>
    </div>
    ${design !== undefined && removal(options)}`
}

/** The inputs of a form of the class `design`. @param design the saved one */
export function designInputs(
  state: FormState,
  design: Design | undefined,
  { texts, pictures }: { texts: Texts; pictures: DesignerPictures },
): Html {
  return html`${pictures.looks(texts)} ${faultsBelow(state, '')} ${shapes(state, texts, pictures)}
  ${colors(state, texts)} ${logoInputs(state, design, texts)} ${frameInputs(state, texts)}
  ${quietZoneAndLevel(state, texts)}`
}

/** What the script of the preview needs. */
function dataOf(
  design: Design | undefined,
  verdict: string | undefined,
  { language, image }: DesignForm,
  { script, text, font }: Preview,
): Html {
  const texts = { ...previewTexts[language], faults: designFaultTexts[language] }
  return html`data-script="${script}" data-text="${text}" data-font="${font}" data-verdict="${verdict}"
  data-image="${image}" data-design="${JSON.stringify(design ?? null)}" data-texts="${JSON.stringify(texts)}"`
}

function removal({ language, action, formKey }: DesignForm): Html {
  return html`<form method="post" action="${action}">
    <input type="hidden" name="action" value="plain" />
    <input type="hidden" name="idempotency_key" value="${formKey}" />
    <button class="plain">${designerTexts[language].remove}</button>
  </form>`
}

function shapes(state: FormState, texts: Texts, { modules, eyeFrame, eyeBall }: DesignerPictures): Html {
  return html`${choices(state, { name: 'shape', label: texts.modules }, texts.moduleNames, modules)}
  ${choices(state, { name: 'eye_frame', label: texts.eyeFrames }, texts.eyeNames, eyeFrame)}
  ${choices(state, { name: 'eye_ball', label: texts.eyeBalls }, texts.eyeNames, eyeBall)}`
}

function colors(state: FormState, texts: Texts): Html {
  const { values } = state
  return html`<fieldset>
    <legend>${texts.colours}</legend>
    ${select(state, { name: 'gradient', label: texts.fill }, texts.fillNames)}
    <div class="row">
      <div class="of-none">${color(state, { name: 'fg', label: texts.colour })}</div>
      <div class="of-gradient">${color(state, { name: 'gradient_from', label: texts.from })}</div>
      <div class="of-gradient">${color(state, { name: 'gradient_to', label: texts.to })}</div>
      <div class="of-linear">
        ${input(
          state,
          { name: 'gradient_angle', label: texts.angle, hint: texts.degrees },
          html`type="number" min="0" max="359" step="1"`,
        )}
      </div>
      <div class="of-paper">${color(state, { name: 'bg', label: texts.background })}</div>
    </div>
    ${checkbox(state, { name: 'transparent', label: texts.transparent, hint: texts.transparentHint })}
    ${collapsed(
      state,
      texts.eyeColours,
      {
        names: ['eye_frame_color', 'eye_ball_color'],
        isChosen: values['custom_eye_frame_color'] === 'yes' || values['custom_eye_ball_color'] === 'yes',
      },
      html`${customColor(state, {
        name: 'eye_frame_color',
        box: texts.customEyeFrame,
        label: texts.eyeFrameColour,
      })}
      ${customColor(state, {
        name: 'eye_ball_color',
        box: texts.customEyeBall,
        label: texts.eyeBallColour,
      })}`,
    )}
  </fieldset>`
}

function quietZoneAndLevel(state: FormState, texts: Texts): Html {
  const isChosen = state.values['margin'] !== '4' || state.values['ecl'] !== 'M'
  return collapsed(
    state,
    texts.technical,
    { names: ['margin', 'ecl'], isChosen },
    html`${input(
      state,
      { name: 'margin', label: texts.quietZone, hint: texts.quietZoneHint },
      html`type="number" min="0" max="16" step="1"`,
    )}
    ${select(
      state,
      {
        name: 'ecl',
        label: texts.correction,
        hint: texts.correctionHint,
      },
      texts.correctionNames,
    )}`,
  )
}

/** The inputs of the frame: its text, and where and how it is drawn. */
function frameInputs(state: FormState, texts: DesignerTexts): Html {
  const { values } = state
  const names = ['frame_position', 'frame_shape', 'frame_color', 'frame_text_color']
  const hasCustomColor = values['custom_frame_color'] === 'yes' || values['custom_frame_text_color'] === 'yes'
  return html`<fieldset>
    <legend>${texts.frame}</legend>
    ${input(
      state,
      { name: 'frame_text', label: texts.text, hint: texts.textHint },
      html`type="text" maxlength="40" dir="auto"`,
    )}
    ${collapsed(
      state,
      texts.frameMore,
      {
        names,
        isChosen: hasCustomColor || values['frame_position'] !== 'bottom' || values['frame_shape'] !== 'rounded',
      },
      html`<div class="row">
          <div>${select(state, { name: 'frame_position', label: texts.position }, texts.positionNames)}</div>
          <div>${select(state, { name: 'frame_shape', label: texts.corners }, texts.cornerNames)}</div>
        </div>
        ${customColor(state, {
          name: 'frame_color',
          box: texts.customFrame,
          label: texts.frameColour,
        })}
        ${customColor(state, {
          name: 'frame_text_color',
          box: texts.customText,
          label: texts.textColour,
        })}`,
    )}
  </fieldset>`
}

/** The inputs of the logo: its file, its size, and what is behind it. */
function logoInputs(state: FormState, design: Design | undefined, texts: DesignerTexts): Html {
  const { values } = state
  const unsaved = values['logo_image'] ?? ''
  const note = unsaved !== '' ? texts.logoUnsaved : design?.logo && texts.logoSaved
  return html`<fieldset>
    <legend>${texts.logo}</legend>
    ${hinted(
      {
        id: 'design-logo',
        label: texts.image,
        hint: texts.imageHint(MAX_LOGO_BYTES / 1024),
        further: 'logo-state fault-logo',
      },
      (attributes) =>
        html`<input
          type="file"
          name="logo"
          accept="image/png,image/jpeg,image/svg+xml"
          data-shrinks="${texts.imageShrinks}"
          ${attributes}
        />`,
    )}
    ${faultsBelow(state, 'logo')}
    <p class="quiet" id="logo-state">${note}</p>
    <input type="hidden" name="logo_image" value="${unsaved}" />
    ${note && checkbox(state, { name: 'logo_remove', label: texts.removeLogo })}
    <div class="row">
      <div>
        ${input(
          state,
          { name: 'logo_size', label: texts.size, hint: texts.sizeHint },
          html`type="number" min="5" max="40" step="any"`,
        )}
      </div>
      <div>${select(state, { name: 'logo_knockout', label: texts.behindLogo }, texts.behindNames)}</div>
    </div>
  </fieldset>`
}
