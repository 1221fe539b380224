import { fillText } from '../../lib/fill-text.ts'
import { Problem } from '../../http/problem.ts'
import type { Report } from '../../qr/check/report.ts'
import type { Font } from '../../qr/design/font.ts'
import type { Design } from '../../qr/design/schema.ts'
import type { DesignFaultTexts } from '../../texts/design-faults.ts'
import type { PreviewTexts } from '../../texts/preview.ts'
import { faultsOf, wholeFault, type Fault } from '../designer/messages.ts'
import { withLook } from '../designer/presets.ts'
import { designOfValues, valuesOfDesign } from '../designer/values.ts'
import { createCheck, type CheckResult, type Unavailable } from './check.ts'
import { noLogo, readChosenLogo, type ChosenLogo } from './chosen-logo.ts'
import { createFontLoader, noFont } from './font-loader.ts'
import { faultsOfNumbers, readForm } from './form-values.ts'
import type { View } from './view.ts'

export type DesignerTexts = PreviewTexts & { faults: DesignFaultTexts }

/** Shows designs: draws them, and says how well they scan, or what is wrong with them. */
export interface DesignShow {
  /**
   * @param faults what is known to be wrong with the design besides
   * @param isChecked whether the server checks it
   */
  show: (design: Design, faults: (design: Design) => Fault[], isChecked: boolean) => void
  /** Says nothing further of the latest design. */
  cancel: () => void
}

/** What designs are shown with. */
export interface ShowParts {
  texts: DesignerTexts
  view: View
  /** The URL of the font. */
  font: string
  /** Draws the images of a design. @throws {Problem} when the server would refuse the design without decoding its image */
  draw: (design: Design, font: Font) => string[]
  /** What the code encodes that the server checks. */
  textOf: () => string
  /** Called when it is known whether a design can be used. */
  onVerdict?: (isUsable: boolean) => void
}

export function createDesignShow({ texts, view, font, draw, textOf, onVerdict }: ShowParts): DesignShow {
  const fontLoader = createFontLoader(font)
  const check = createCheck(textOf, (result) => {
    showResult(view, texts, result)
    onVerdict?.(!('errors' in result))
  })
  let latest: unknown

  async function retryWithFont(...args: Parameters<DesignShow['show']>): Promise<void> {
    const mine = latest
    const isLoaded = await fontLoader.load()
    if (latest !== mine) return
    if (isLoaded) show(...args)
    else view.showResult(texts.fontMissing)
  }

  const show: DesignShow['show'] = (design, faultsIn, isChecked) => {
    cancel()
    if (design.frame !== undefined && fontLoader.font === undefined)
      return void retryWithFont(design, faultsIn, isChecked)
    const drawFaults = drawInto(view, texts, () => draw(design, fontLoader.font ?? noFont))
    const faults = [...faultsIn(design), ...drawFaults]
    onVerdict?.(faults.length === 0)
    if (faults.length > 0) return refuse(view, texts, faults)
    // An unedited page has nothing checked, and keeps the errors that the server has put into it.
    if (!isChecked) return
    view.showFaults([])
    check.schedule(design)
  }

  function cancel(): void {
    latest = {}
    check.cancel()
  }

  return { show, cancel }
}

/** What the form of a design holds. */
export interface Edited {
  design: Design
  /** What is wrong with inputs, which the design does not show. */
  faults: (design: Design) => Fault[]
  /** Whether the owner has changed something. */
  isEdited: boolean
  /** Whether it is what was saved. */
  isSaved: boolean
}

/**
 * Reads a form now, and whenever it changes.
 * @param saved the design with which the form was filled
 */
export function followDesign(
  form: HTMLFormElement,
  texts: DesignerTexts,
  saved: Design | undefined,
  onChange: (edited: Edited) => void,
): void {
  const unchanged = JSON.stringify(designOfValues(valuesOfDesign(saved), saved))
  startForm(form, (logo, isEdited) => {
    const { values, outOfBounds } = readForm(form)
    const design = designOfValues({ ...values, logo: logo.uri }, saved)
    const isSaved = outOfBounds.length === 0 && JSON.stringify(design) === unchanged
    const faults = (of: Design) => [...faultsOfNumbers(outOfBounds, of, texts.faults), ...faultsOfLogo(logo, texts)]
    onChange({ design, faults, isEdited, isSaved })
  })
}

/** Called with what is not in the form's values, whenever it changes. */
type Update = (logo: ChosenLogo, isEdited: boolean) => void

function startForm(form: HTMLFormElement, update: Update): void {
  const picker = form.querySelector<HTMLInputElement>('[name=logo]')
  let logo = noLogo
  let isEdited = false
  let frame = 0
  const hint = form.querySelector('#design-logo-hint')
  if (hint) hint.textContent = picker?.dataset['shrinks'] ?? ''
  const scheduleUpdate = () => {
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(() => update(logo, isEdited))
  }
  const loadLogo = () => {
    const file = picker?.files?.[0]
    void readChosenLogo(file).then((chosen) => {
      // The owner may have chosen another file while this one was read.
      if (picker?.files?.[0] !== file) return
      logo = chosen
      isEdited ||= file !== undefined
      if (picker && chosen.smaller) replaceFile(picker, chosen.smaller)
      scheduleUpdate()
    })
  }
  form.addEventListener('input', () => {
    isEdited = true
    scheduleUpdate()
  })
  form.addEventListener('click', (event) => {
    const button = event.target instanceof Element && event.target.closest<HTMLElement>('[data-look]')
    if (!button) return
    // Without scripts, the button saves the look.
    event.preventDefault()
    applyLook(form, JSON.parse(button.dataset['look'] ?? '{}') as Record<string, unknown>)
    isEdited = true
    scheduleUpdate()
  })
  picker?.addEventListener('change', loadLogo)
  // Browsers restore the chosen file after a reload and after "back"; and it may be chosen before this script is loaded.
  addEventListener('pageshow', loadLogo)
  update(logo, isEdited)
  if (picker?.files?.length) loadLogo()
}

/** Has the form send another file. */
function replaceFile(picker: HTMLInputElement, file: File): void {
  const transfer = new DataTransfer()
  transfer.items.add(file)
  picker.files = transfer.files
}

function refuse(view: View, texts: DesignerTexts, faults: Fault[]): void {
  view.showFaults(faults)
  view.showResult(fillText(texts.unusable, { reason: faults[0]?.text ?? '' }))
}

function showResult(view: View, texts: DesignerTexts, result: CheckResult): void {
  if ('unavailable' in result) view.showResult(unavailableText(texts, result.unavailable))
  else if ('report' in result) view.showResult(reportText(texts, result.report), result.report.scannability === 'poor')
  else
    refuse(
      view,
      texts,
      result.errors.length > 0 ? faultsOf(result.errors, texts.faults) : [wholeFault(result.detail, texts.faults)],
    )
}

/** Shows the drawn images, or returns why it cannot be drawn. */
function drawInto(view: View, texts: DesignerTexts, draw: () => string[]): Fault[] {
  try {
    view.showImages(draw())
    return []
  } catch (error) {
    if (error instanceof Problem) return faultsOf(error.errors, texts.faults)
    throw error
  }
}

function faultsOfLogo({ fault }: ChosenLogo, texts: DesignerTexts): Fault[] {
  return fault === undefined ? [] : faultsOf([{ pointer: '/design/logo/image', detail: fault }], texts.faults)
}

/** Sets the inputs of the form to what they hold, changed by a look. */
function applyLook(form: HTMLFormElement, look: Record<string, unknown>): void {
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

/** The report on a design that can be scanned, as sentences. */
function reportText(texts: PreviewTexts, report: Report): string {
  const { scannability, inverted, contrast_ratio: ratio, print, quiet_zone, logo_on_alignment } = report
  /** With a comma in German. */
  const number = (value: number) => value.toLocaleString(document.documentElement.lang)
  return [
    scannability === 'poor' && inverted ? texts.inverted : texts[scannability],
    fillText(texts.contrast, { ratio: number(ratio) }),
    fillText(texts.print, { width: print.smallest_mm, distance: number(print.distance_mm / 10) }),
    ...(quiet_zone < 4 ? [texts.narrow] : []),
    ...(logo_on_alignment ? [texts.covered] : []),
  ].join(' ')
}

/** Why there is no report right now. */
function unavailableText(texts: PreviewTexts, unavailable: Unavailable): string {
  return typeof unavailable === 'object' ? fillText(texts.limited, unavailable) : texts[unavailable]
}
