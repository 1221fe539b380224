import { Problem } from '../../http/problem.ts'
import type { Design } from '../../qr/design/schema.ts'
import { designOfValues, valuesOfDesign } from '../designer/values.ts'
import { faultsOf, type Fault } from '../designer/messages.ts'
import { createCheck, type Verdict } from './check.ts'
import { noLogo, readChosenLogo, type ChosenLogo } from './chosen-logo.ts'
import { faultsOfNumbers, readForm } from './form-values.ts'
import { createLetters, noFont } from './letters.ts'
import { createDrawPicture } from './picture.ts'
import { createView } from './view.ts'
import { reportInWords, silenceInWords } from './report-text.ts'

// The live preview of the owner's page. Without it the page works as well; whatever fails here leaves it as it is.

const form = document.querySelector<HTMLFormElement>('form.design')
if (form !== null) startPreview(form, createSketch(form, handedOver(form)))

/** What the page hands over, as attributes of the form. */
interface Handed {
  /** What the image says. */
  text: string
  /** Where the font lies. */
  font: string
  /** The design that is saved, in JSON, or null. */
  design: string
}

function handedOver({ dataset }: HTMLFormElement): Handed {
  const { text = '', font = '', design = 'null' } = dataset
  return { text, font, design }
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

  /** Draws, and finds what can be said without asking. */
  function drawn(design: Design, logo: ChosenLogo): Fault[] {
    const faults = faultsOfLogo(logo)
    try {
      view.show(draw(design, letters.font ?? noFont))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      faults.push(...faultsOf(error.errors))
    }
    return faults
  }

  let last: unknown
  return function sketch(logo, isTouched) {
    const mine = (last = {})
    const { values, outOfBounds } = readForm(form)
    const design = designOfValues({ ...values, logo: logo.uri }, before)
    const isAsSaved = outOfBounds.length === 0 && JSON.stringify(design) === asSaved
    check.drop()
    view.note(isAsSaved ? 'As it is saved.' : 'Not saved yet.')
    view.say('')
    if (design.frame !== undefined && letters.font === undefined) {
      void letters.load().then((isThere) => {
        if (last !== mine) return
        if (isThere) sketch(logo, isTouched)
        else view.say('The letters of the frame cannot be loaded right now, so that there is no preview of it.')
      })
      return
    }
    const faults = [...faultsOfNumbers(outOfBounds, design), ...drawn(design, logo)]
    if (faults.length > 0) return refuse(faults)
    // A page that is only looked at asks for nothing, and keeps what a refusal has marked.
    if (!isTouched) return
    view.mark([])
    check.soon(design)
  }
}

function faultsOfLogo({ fault }: ChosenLogo): Fault[] {
  return fault === undefined ? [] : faultsOf([{ pointer: '/design/logo/image', detail: fault }])
}
