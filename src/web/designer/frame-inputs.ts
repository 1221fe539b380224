import { html, type Html } from '../../http/html.ts'
import type { DesignerTexts } from '../../texts/designer.ts'
import { collapsed, customColor, input, select, type FormState } from './inputs.ts'

/** The inputs of the frame: its text, and where and how it is drawn. */
export function frameInputs(state: FormState, texts: DesignerTexts): Html {
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
