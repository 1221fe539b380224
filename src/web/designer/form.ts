import { html, type Html } from '../../http/html.ts'
import { MAX_LOGO_BYTES } from '../../qr/logo/logo.ts'
import type { Design } from '../../qr/design/schema.ts'
import type { PreviewAssets } from '../assets.ts'
import { checkbox, color, faultsBeside, folded, input, ownColor, select, type Shown } from './inputs.ts'
import { valuesOfDesign, type DesignValues } from './values.ts'
import type { Fault } from './messages.ts'

/** What the form is to show instead of what is saved, after it was refused. */
export interface RefusedDesign {
  values: DesignValues
  faults: Fault[]
}

/** What the live preview takes: paths of its script and its font, and what the image of the link says. */
export interface Preview extends PreviewAssets {
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
  const shown = { values: refused?.values ?? valuesOfDesign(design), faults: refused?.faults ?? [] }
  const forScript =
    preview &&
    html`data-text="${preview.text}" data-font="${preview.font}" data-design="${JSON.stringify(design ?? null)}"`
  return html`<div class="designer">
      <form method="post" action="${action}" enctype="multipart/form-data" class="design" novalidate ${forScript}>
        <input type="hidden" name="action" value="design" />
        <input type="hidden" name="revision" value="${revision}" />
        ${faultsBeside(shown, '')} ${shapes(shown)} ${colors(shown)} ${logoChoices(shown, design)}
        ${frameChoices(shown)} ${reading(shown)}
        <button>Use this design</button>
      </form>
    </div>
    ${
      design !== undefined &&
      html`<form method="post" action="${action}">
        <input type="hidden" name="action" value="plain" />
        <button class="plain">Back to a plain code</button>
      </form>`
    }`
}

const eyes = { square: 'Square', rounded: 'Rounded', circle: 'Round', leaf: 'Leaf' }

function shapes(shown: Shown): Html {
  const modules = { square: 'Squares', rounded: 'Rounded', dots: 'Dots', diamond: 'Diamonds', classy: 'Classy' }
  return html`<fieldset class="row">
    <legend>Shapes</legend>
    <div>${select(shown, { name: 'shape', label: 'Modules' }, modules)}</div>
    <div>${select(shown, { name: 'eye_frame', label: 'Eyes' }, eyes)}</div>
    <div>${select(shown, { name: 'eye_ball', label: 'In the eyes' }, eyes)}</div>
  </fieldset>`
}

function colors(shown: Shown): Html {
  const { values } = shown
  const kinds = { none: 'One colour', linear: 'Gradient across', radial: 'Gradient from the middle' }
  return html`<fieldset>
    <legend>Colours</legend>
    ${select(shown, { name: 'gradient', label: 'Modules in' }, kinds)}
    <div class="row">
      <div class="of-none">${color(shown, { name: 'fg', label: 'Colour' })}</div>
      <div class="of-gradient">${color(shown, { name: 'gradient_from', label: 'From' })}</div>
      <div class="of-gradient">${color(shown, { name: 'gradient_to', label: 'To' })}</div>
      <div class="of-linear">
        ${input(
          shown,
          { name: 'gradient_angle', label: 'Angle', hint: 'degrees' },
          html`type="number" min="0" max="359" step="1"`,
        )}
      </div>
      <div class="of-paper">${color(shown, { name: 'bg', label: 'Background' })}</div>
    </div>
    ${checkbox(shown, { name: 'transparent', label: 'No background', hint: 'for white paper' })}
    ${folded(
      shown,
      'Colours of the eyes',
      {
        names: ['eye_frame_color', 'eye_ball_color'],
        isChosen: values['own_eye_frame_color'] === 'yes' || values['own_eye_ball_color'] === 'yes',
      },
      html`${ownColor(shown, {
        name: 'eye_frame_color',
        box: 'The eyes have a colour of their own',
        label: 'Colour of the eyes',
      })}
      ${ownColor(shown, {
        name: 'eye_ball_color',
        box: 'What is in the eyes has a colour of its own',
        label: 'Colour in the eyes',
      })}`,
    )}
  </fieldset>`
}

function logoChoices(shown: Shown, design: Design | undefined): Html {
  const { values } = shown
  const waiting = values['logo_image'] ?? ''
  const state = waiting !== '' ? 'The one that you chose is kept.' : design?.logo && 'The code has one.'
  const behind = { yes: 'left out', no: 'drawn' }
  return html`<fieldset>
    <legend>Logo</legend>
    <label
      >Picture <small>PNG, JPEG or SVG of at most ${MAX_LOGO_BYTES / 1024} KiB</small>
      <input
        type="file"
        name="logo"
        accept="image/png,image/jpeg,image/svg+xml"
        aria-describedby="logo-state fault-logo"
      />
    </label>
    ${faultsBeside(shown, 'logo')}
    <p class="quiet" id="logo-state">${state}</p>
    <input type="hidden" name="logo_image" value="${waiting}" />
    ${state && checkbox(shown, { name: 'logo_remove', label: 'Take the logo away' })}
    <div class="row">
      <div>
        ${input(
          shown,
          { name: 'logo_size', label: 'Size', hint: '% of the side' },
          html`type="number" min="5" max="40" step="any"`,
        )}
      </div>
      <div>${select(shown, { name: 'logo_knockout', label: 'Modules behind it' }, behind)}</div>
    </div>
  </fieldset>`
}

function frameChoices(shown: Shown): Html {
  const { values } = shown
  const rarer = ['frame_position', 'frame_shape', 'frame_color', 'frame_text_color']
  const isOwn = values['own_frame_color'] === 'yes' || values['own_frame_text_color'] === 'yes'
  return html`<fieldset>
    <legend>Frame</legend>
    ${input(
      shown,
      { name: 'frame_text', label: 'Text', hint: 'such as “Scan me”; left empty, there is no frame' },
      html`type="text" maxlength="40" dir="auto"`,
    )}
    ${folded(
      shown,
      'Place, corners and colours of the frame',
      {
        names: rarer,
        isChosen: isOwn || values['frame_position'] !== 'bottom' || values['frame_shape'] !== 'rounded',
      },
      html`<div class="row">
          <div>${select(shown, { name: 'frame_position', label: 'Text' }, { bottom: 'Below', top: 'Above' })}</div>
          <div>
            ${select(shown, { name: 'frame_shape', label: 'Corners' }, { rounded: 'Rounded', square: 'Square' })}
          </div>
        </div>
        ${ownColor(shown, {
          name: 'frame_color',
          box: 'The frame has a colour of its own',
          label: 'Colour of the frame',
        })}
        ${ownColor(shown, {
          name: 'frame_text_color',
          box: 'The text has a colour of its own',
          label: 'Colour of the text',
        })}`,
    )}
  </fieldset>`
}

function reading(shown: Shown): Html {
  const isChosen = shown.values['margin'] !== '4' || shown.values['ecl'] !== 'M'
  const levels = { L: 'L: 7 %', M: 'M: 15 %', Q: 'Q: 25 %', H: 'H: 30 %' }
  return folded(
    shown,
    'Quiet zone and error correction',
    { names: ['margin', 'ecl'], isChosen },
    html`${input(
      shown,
      { name: 'margin', label: 'Quiet zone', hint: 'modules of light around the code; 4 is the standard' },
      html`type="number" min="0" max="16" step="1"`,
    )}
    ${select(
      shown,
      { name: 'ecl', label: 'Error correction', hint: 'at least so much may be lost; a logo raises it by itself' },
      levels,
    )}`,
  )
}
