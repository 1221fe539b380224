import type { Design } from '../../qr/design/schema.ts'
import type { DesignValues } from '../designer/values.ts'
import { faultsOf, type Fault } from '../designer/messages.ts'

/**
 * What the form holds, without files, and without numbers past their bounds: those are drawn as they are saved. The
 * schema, which says on the server what the inputs say here, would double what is loaded.
 */
export function readForm(form: HTMLFormElement): { values: DesignValues; outOfBounds: HTMLInputElement[] } {
  const numbers = [...form.querySelectorAll<HTMLInputElement>('input[type=number]')]
  const outOfBounds = numbers.filter(({ value, validity }) => value === '' || !validity.valid)
  const faulty = new Set(outOfBounds.map(({ name }) => name))
  const entries = [...new FormData(form)].filter(([name, value]) => typeof value === 'string' && !faulty.has(name))
  return { values: Object.fromEntries(entries as [string, string][]), outOfBounds }
}

/** What is wrong with the numbers that matter for a design. */
export function faultsOfNumbers(outOfBounds: HTMLInputElement[], { gradient, logo }: Design): Fault[] {
  const pointless = new Set([
    ...(gradient?.type === 'linear' ? [] : ['gradient_angle']),
    ...(logo === undefined ? ['logo_size'] : []),
  ])
  return outOfBounds
    .filter(({ name }) => !pointless.has(name))
    .flatMap(({ name, step, min, max }) => {
      const detail = `must be ${step === '1' ? 'a whole number' : 'a number'} from ${min} to ${max}`
      return faultsOf([{ pointer: `/design/${name.replace('_', '/')}`, detail }])
    })
}
