import type { Design } from '../../qr/design/schema.ts'
import type { DesignFaultTexts } from '../../texts/design-faults.ts'
import type { DesignValues } from '../designer/values.ts'
import { faultsOf, type Fault } from '../designer/messages.ts'

/**
 * Values of the form, without files and without numbers out of their bounds, for which the preview draws the saved ones.
 * The bounds come from the inputs: the schema would double the size of the script.
 */
export function readForm(form: HTMLFormElement): { values: DesignValues; outOfBounds: HTMLInputElement[] } {
  const numbers = [...form.querySelectorAll<HTMLInputElement>('input[type=number]')]
  const outOfBounds = numbers.filter(({ value, validity }) => value === '' || !validity.valid)
  const faulty = new Set(outOfBounds.map(({ name }) => name))
  const entries = [...new FormData(form)].filter(([name, value]) => typeof value === 'string' && !faulty.has(name))
  return { values: Object.fromEntries(entries as [string, string][]), outOfBounds }
}

/** Errors of numbers out of their bounds, except where the design does not use the number. */
export function faultsOfNumbers(
  outOfBounds: HTMLInputElement[],
  { gradient, logo }: Design,
  texts: DesignFaultTexts,
): Fault[] {
  const unused = new Set([
    ...(gradient?.type === 'linear' ? [] : ['gradient_angle']),
    ...(logo === undefined ? ['logo_size'] : []),
  ])
  return outOfBounds
    .filter(({ name }) => !unused.has(name))
    .flatMap(({ name, step, min, max }) => {
      const detail = `must be ${step === '1' ? 'a whole number' : 'a number'} from ${min} to ${max}`
      return faultsOf([{ pointer: `/design/${name.replace('_', '/')}`, detail }], texts)
    })
}
