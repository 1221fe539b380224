import { html, type Html } from '../../http/html.ts'
import { MAX_LOGO_BYTES } from '../../qr/logo/logo.ts'
import type { Design } from '../../qr/design/schema.ts'
import { checkbox, collapsed, color, customColor, faultsBelow, input, select, type FormState } from './inputs.ts'
import { valuesOfDesign, type DesignValues } from './values.ts'
import type { Fault } from './messages.ts'

/** What the form shows instead of the saved design, after a design was refused. */
export interface RefusedDesign {
  values: DesignValues
  faults: Fault[]
}

/** Input of the live preview: the paths of its script and font, and the text that the QR code encodes. */
export interface Preview {
  script: string
  font: string
  text: string
}

interface DesignForm {
  action: string
  revision: number
  refused: RefusedDesign | undefined
  preview: Preview | undefined
}

/** The form in which an owner designs the QR code. */
export function designForm(design: Design | undefined, { action, revision, refused, preview }: DesignForm): Html {
  const state = { values: refused?.values ?? valuesOfDesign(design), faults: refused?.faults ?? [] }
  const forScript =
    preview &&
    html`data-text="${preview.text}" data-font="${preview.font}" data-design="${JSON.stringify(design ?? null)}"`
  return html`<div class="designer">
      <form method="post" action="${action}" enctype="multipart/form-data" class="design" novalidate ${forScript}>
        <input type="hidden" name="action" value="design" />
        <input type="hidden" name="revision" value="${revision}" />
        ${faultsBelow(state, '')} ${shapes(state)} ${colors(state)} ${logoInputs(state, design)} ${frameInputs(state)}
        ${quietZoneAndLevel(state)}
        <button>Save design</button>
      </form>
    </div>
    ${
      design !== undefined &&
      html`<form method="post" action="${action}">
        <input type="hidden" name="action" value="plain" />
        <button class="plain">Remove design</button>
      </form>`
    }`
}

const eyes = { square: 'Square', rounded: 'Rounded', circle: 'Circle', leaf: 'Leaf' }

function shapes(state: FormState): Html {
  const modules = { square: 'Squares', rounded: 'Rounded', dots: 'Dots', diamond: 'Diamonds', classy: 'Classy' }
  return html`<fieldset class="row">
    <legend>Shapes</legend>
    <div>${select(state, { name: 'shape', label: 'Modules' }, modules)}</div>
    <div>${select(state, { name: 'eye_frame', label: 'Eye frames' }, eyes)}</div>
    <div>${select(state, { name: 'eye_ball', label: 'Eye balls' }, eyes)}</div>
  </fieldset>`
}

function colors(state: FormState): Html {
  const { values } = state
  const fills = { none: 'Solid colour', linear: 'Linear gradient', radial: 'Radial gradient' }
  return html`<fieldset>
    <legend>Colours</legend>
    ${select(state, { name: 'gradient', label: 'Fill' }, fills)}
    <div class="row">
      <div class="of-none">${color(state, { name: 'fg', label: 'Colour' })}</div>
      <div class="of-gradient">${color(state, { name: 'gradient_from', label: 'From' })}</div>
      <div class="of-gradient">${color(state, { name: 'gradient_to', label: 'To' })}</div>
      <div class="of-linear">
        ${input(
          state,
          { name: 'gradient_angle', label: 'Angle', hint: 'degrees' },
          html`type="number" min="0" max="359" step="1"`,
        )}
      </div>
      <div class="of-paper">${color(state, { name: 'bg', label: 'Background' })}</div>
    </div>
    ${checkbox(state, { name: 'transparent', label: 'Transparent background', hint: 'for white paper' })}
    ${collapsed(
      state,
      'Eye colours',
      {
        names: ['eye_frame_color', 'eye_ball_color'],
        isChosen: values['custom_eye_frame_color'] === 'yes' || values['custom_eye_ball_color'] === 'yes',
      },
      html`${customColor(state, {
        name: 'eye_frame_color',
        box: 'Custom colour for the eye frames',
        label: 'Colour of the eye frames',
      })}
      ${customColor(state, {
        name: 'eye_ball_color',
        box: 'Custom colour for the eye balls',
        label: 'Colour of the eye balls',
      })}`,
    )}
  </fieldset>`
}

function logoInputs(state: FormState, design: Design | undefined): Html {
  const { values } = state
  const unsaved = values['logo_image'] ?? ''
  const note = unsaved !== '' ? 'Your new logo is still here.' : design?.logo && 'The code has a logo.'
  const behind = { yes: 'Left out', no: 'Drawn' }
  return html`<fieldset>
    <legend>Logo</legend>
    <label
      >Image <small>PNG, JPEG or SVG of at most ${MAX_LOGO_BYTES / 1024} KiB</small>
      <input
        type="file"
        name="logo"
        accept="image/png,image/jpeg,image/svg+xml"
        aria-describedby="logo-state fault-logo"
      />
    </label>
    ${faultsBelow(state, 'logo')}
    <p class="quiet" id="logo-state">${note}</p>
    <input type="hidden" name="logo_image" value="${unsaved}" />
    ${note && checkbox(state, { name: 'logo_remove', label: 'Remove the logo' })}
    <div class="row">
      <div>
        ${input(
          state,
          { name: 'logo_size', label: 'Size', hint: '% of the width of the code' },
          html`type="number" min="5" max="40" step="any"`,
        )}
      </div>
      <div>${select(state, { name: 'logo_knockout', label: 'Modules behind the logo' }, behind)}</div>
    </div>
  </fieldset>`
}

function frameInputs(state: FormState): Html {
  const { values } = state
  const names = ['frame_position', 'frame_shape', 'frame_color', 'frame_text_color']
  const hasCustomColor = values['custom_frame_color'] === 'yes' || values['custom_frame_text_color'] === 'yes'
  return html`<fieldset>
    <legend>Frame</legend>
    ${input(
      state,
      { name: 'frame_text', label: 'Text', hint: 'such as “Scan me”; leave empty for no frame' },
      html`type="text" maxlength="40" dir="auto"`,
    )}
    ${collapsed(
      state,
      'Position, corners and colours of the frame',
      {
        names,
        isChosen: hasCustomColor || values['frame_position'] !== 'bottom' || values['frame_shape'] !== 'rounded',
      },
      html`<div class="row">
          <div>
            ${select(state, { name: 'frame_position', label: 'Text position' }, { bottom: 'Below', top: 'Above' })}
          </div>
          <div>
            ${select(state, { name: 'frame_shape', label: 'Corners' }, { rounded: 'Rounded', square: 'Square' })}
          </div>
        </div>
        ${customColor(state, {
          name: 'frame_color',
          box: 'Custom colour for the frame',
          label: 'Colour of the frame',
        })}
        ${customColor(state, {
          name: 'frame_text_color',
          box: 'Custom colour for the text',
          label: 'Colour of the text',
        })}`,
    )}
  </fieldset>`
}

function quietZoneAndLevel(state: FormState): Html {
  const isChosen = state.values['margin'] !== '4' || state.values['ecl'] !== 'M'
  const levels = { L: 'L: 7%', M: 'M: 15%', Q: 'Q: 25%', H: 'H: 30%' }
  return collapsed(
    state,
    'Quiet zone and error correction',
    { names: ['margin', 'ecl'], isChosen },
    html`${input(
      state,
      { name: 'margin', label: 'Quiet zone', hint: 'empty margin around the code, in modules; the standard is 4' },
      html`type="number" min="0" max="16" step="1"`,
    )}
    ${select(
      state,
      {
        name: 'ecl',
        label: 'Error correction',
        hint: 'share of the code that may be damaged; a logo raises it automatically',
      },
      levels,
    )}`,
  )
}
