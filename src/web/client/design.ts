import { Problem } from '../../http/problem.ts'
import type { Design } from '../../qr/design/schema.ts'
import { designOfValues, valuesOfDesign, type DesignValues } from '../design-values.ts'
import { faultsOf, type Fault } from '../design-words.ts'
import { createCheck, type Verdict } from './check.ts'
import { noLogo, readChosenLogo, type ChosenLogo } from './chosen-logo.ts'
import { createLetters, noFont } from './letters.ts'
import { createDrawPicture } from './picture.ts'
import { createView } from './view.ts'
import { reportInWords, silenceInWords } from './words.ts'

// The live preview of the owner's page. Without it the page works as well; whatever fails here leaves it as it is.

const form = document.querySelector<HTMLFormElement>('form.design')
if (form !== null) startPreview(form, createSketch(form, form.dataset as unknown as Handed))

/** What the page hands over, as attributes of the form. */
interface Handed {
  /** What the image says. */
  text: string
  /** Where the font lies. */
  font: string
  /** The design that is saved, in JSON, or null. */
  design: string
}

/** Draws what the form asks for now. `isTouched` when someone has chosen something: only then it is checked as well. */
type Sketch = (logo: ChosenLogo, isTouched: boolean) => void

function startPreview(form: HTMLFormElement, sketch: Sketch): void {
  const picker = form.querySelector<HTMLInputElement>('[name=logo]')
  let logo = noLogo
  let isTouched = false
  let frame = 0
  const sketchSoon = () => {
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(() => sketch(logo, isTouched))
  }
  const takeLogo = () => {
    const file = picker?.files?.[0]
    void readChosenLogo(file).then((chosen) => {
      // Another one may have been chosen meanwhile.
      if (picker?.files?.[0] !== file) return
      logo = chosen
      sketchSoon()
    })
  }
  form.addEventListener('input', () => {
    isTouched = true
    sketchSoon()
  })
  picker?.addEventListener('change', takeLogo)
  // Browsers fill in again what was chosen before a reload, and before "back".
  addEventListener('pageshow', takeLogo)
  sketch(logo, isTouched)
}

function createSketch(form: HTMLFormElement, { text, font, design: saved }: Handed): Sketch {
  const before = (JSON.parse(saved) as Design | null) ?? undefined
  const asSaved = JSON.stringify(designOfValues(valuesOfDesign(before), before))
  const draw = createDrawPicture(text)
  const letters = createLetters(font)
  const view = createView(form)
  const check = createCheck(text, showVerdict)

  function refuse(faults: Fault[]): void {
    view.mark(faults)
    view.say(`Not usable like this: ${faults[0]?.text}`)
  }

  function showVerdict(verdict: Verdict): void {
    if ('silence' in verdict) view.say(silenceInWords(verdict.silence))
    else if ('report' in verdict) view.say(reportInWords(verdict.report))
    else refuse(verdict.errors.length > 0 ? faultsOf(verdict.errors) : [{ field: '', text: `${verdict.detail}.` }])
  }

  /** What can be said without asking; undefined when the image is drawn. */
  function drawOrFaults(design: Design, logo: ChosenLogo): Fault[] | undefined {
    const faults = [...faultsOfNumbers(form, design), ...faultsOfLogo(logo)]
    if (faults.length > 0) return faults
    try {
      view.show(draw(design, letters.font ?? noFont))
      return undefined
    } catch (error) {
      if (error instanceof Problem) return faultsOf(error.errors)
      throw error
    }
  }

  let last: unknown
  return function sketch(logo, isTouched) {
    const mine = (last = {})
    const design = designOfValues({ ...valuesIn(form), logo: logo.uri }, before)
    check.drop()
    view.note(JSON.stringify(design) === asSaved ? 'As it is saved.' : 'Not saved yet.')
    view.say('')
    if (design.frame !== undefined && letters.font === undefined) {
      void letters.load().then((isThere) => {
        if (last !== mine) return
        if (isThere) sketch(logo, isTouched)
        else view.say('The letters of the frame cannot be loaded right now, so that there is no preview of it.')
      })
      return
    }
    const faults = drawOrFaults(design, logo)
    if (faults !== undefined) return refuse(faults)
    view.mark([])
    if (isTouched) check.soon(design)
  }
}

function faultsOfLogo({ fault }: ChosenLogo): Fault[] {
  return fault === undefined ? [] : faultsOf([{ pointer: '/design/logo/image', detail: fault }])
}

function valuesIn(form: HTMLFormElement): DesignValues {
  return Object.fromEntries(
    [...new FormData(form)].filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

/** Numbers past the bounds of their inputs; the schema, which says the same on the server, would double what is loaded. */
function faultsOfNumbers(form: HTMLFormElement, { margin, gradient, logo }: Design): Fault[] {
  const angle = gradient?.type === 'linear' ? gradient.angle : undefined
  const numbers = { margin, gradient_angle: angle, logo_size: logo?.size }
  return Object.entries(numbers).flatMap(([name, value]) => {
    const input = form.querySelector<HTMLInputElement>(`[name=${name}]`)
    if (value === undefined || input === null) return []
    if (input.validity.valid && !Number.isNaN(value)) return []
    const whole = input.step === '1' ? 'a whole number' : 'a number'
    return faultsOf([
      { pointer: `/design/${name.replace('_', '/')}`, detail: `must be ${whole} from ${input.min} to ${input.max}` },
    ])
  })
}
