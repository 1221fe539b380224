import { html, type Html } from '../http/html.ts'
import type { Design } from '../qr/design/schema.ts'
import { eyeShapes } from '../qr/design/eyes.ts'
import { moduleShapes } from '../qr/design/shapes.ts'
import type { Problem } from '../http/problem.ts'

/** The form in which an owner designs the QR code; a logo and gradients, which need more than a form, stay as they are. */
export function designForm(design: Design | undefined, action: string, problem?: Problem): Html {
  const { shape = 'square', eye_frame, eye_ball, fg = '#000000', bg = '#ffffff', frame } = design ?? {}
  return html`<form method="post" action="${action}">
      <input type="hidden" name="action" value="design" />
      ${problem?.errors.map(({ pointer, detail }) => html`<p class="fault">${wordsOf(pointer)} ${detail}.</p>`)}
      <label>Modules ${choice('shape', moduleShapes, shape)}</label>
      <label>Eyes ${choice('eye_frame', eyeShapes, eye_frame ?? 'square')}</label>
      <label>In the eyes ${choice('eye_ball', eyeShapes, eye_ball ?? 'square')}</label>
      <label>Colour <input type="color" name="fg" value="${sixDigits(fg)}" /></label>
      <label>Background <input type="color" name="bg" value="${sixDigits(bg)}" /></label>
      <label>
        <input type="checkbox" name="transparent" value="yes" ${bg === 'transparent' && html`checked`} />No background
      </label>
      <label>
        Text below <small>a frame with a call to action, such as “Scan me”</small>
        <input type="text" name="frame_text" maxlength="40" value="${frame?.text ?? ''}" dir="auto" />
      </label>
      <button>Use this design</button>
    </form>
    ${
      design !== undefined &&
      html`<form method="post" action="${action}">
        <input type="hidden" name="action" value="plain" />
        <button class="plain">Back to a plain code</button>
      </form>`
    }`
}

function choice(name: string, values: readonly string[], chosen: string): Html {
  const options = values.map(
    (value) => html`<option value="${value}" ${value === chosen && html`selected`}>${value}</option>`,
  )
  return html`<select name="${name}">
    ${options}
  </select>`
}

/** A colour as an input of that type has it; what has no such form shows as black. */
function sixDigits(color: string): string {
  const digits = color.replace('#', '')
  if (/^[\da-f]{3}$/i.test(digits)) return `#${digits.replace(/./g, '$&$&')}`
  return /^[\da-f]{6}/i.test(digits) ? `#${digits.slice(0, 6)}` : '#000000'
}

/** "/design/frame/text" as a person says it. */
function wordsOf(pointer: string): string {
  const [, , choice = 'The design'] = pointer.split('/')
  const words = { fg: 'The colour', bg: 'The background', frame: 'The text', shape: 'The modules' } as Record<
    string,
    string
  >
  return words[choice] ?? (choice.startsWith('eye') ? 'The eyes' : choice === 'logo' ? 'The logo' : 'The design')
}

/** The design that a form asks for: what it does not show stays. */
export function designOfForm(form: URLSearchParams, before: Design | undefined): object {
  const chosen = (name: string) => form.get(name) ?? undefined
  const text = form.get('frame_text')?.trim() ?? ''
  const { frame, ...rest } = before ?? {}
  return {
    ...rest,
    shape: chosen('shape'),
    eye_frame: chosen('eye_frame'),
    eye_ball: chosen('eye_ball'),
    fg: chosen('fg'),
    bg: form.get('transparent') === 'yes' ? 'transparent' : chosen('bg'),
    ...(text !== '' && { frame: { ...frame, text } }),
  }
}
