import { designOfValues, valuesOfDesign } from '../designer/values.ts'
import { withLook } from '../designer/presets.ts'
import { readForm } from './form-values.ts'

/** Sets the inputs of the form to what they hold, changed by a look. */
export function applyLook(form: HTMLFormElement, look: Record<string, unknown>): void {
  const current = designOfValues(readForm(form).values)
  const { logo: _logo, frame: _frame, ...rest } = withLook(current, look)
  const values = valuesOfDesign(rest)
  const names = new Set(
    Object.keys(valuesOfDesign(look)).filter((name) => !/^(?:logo|frame|custom_frame|margin|ecl)/.test(name)),
  )
  for (const element of form.elements) {
    if (!(element instanceof HTMLInputElement || element instanceof HTMLSelectElement)) continue
    const value = names.has(element.name) ? values[element.name] : undefined
    if (value === undefined) continue
    if (element.type === 'radio' || element.type === 'checkbox') element.checked = element.value === value
    else element.value = value
  }
}
