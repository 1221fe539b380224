import { html, type Html } from '../../http/html.ts'
import type { Design } from '../../qr/design/schema.ts'
import { MAX_LOGO_BYTES } from '../../qr/logo/logo.ts'
import type { DesignerTexts } from '../../texts/designer.ts'
import { hinted } from '../hinted.ts'
import { checkbox, faultsBelow, input, select, type FormState } from './inputs.ts'

/** The inputs of the logo: its file, its size, and what is behind it. */
export function logoInputs(state: FormState, design: Design | undefined, texts: DesignerTexts): Html {
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
