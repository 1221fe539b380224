import { fillText } from '../../../lib/fill-text.ts'
import { Problem } from '../../../http/problem.ts'
import type { Scannability, Report } from '../../../qr/check/report.ts'
import type { Design } from '../../../qr/design/schema.ts'
import type { DesignFaultTexts } from '../../../texts/design-faults.ts'
import type { PreviewTexts } from '../../../texts/preview.ts'
import { designOfValues, valuesOfDesign } from '../../designer/values.ts'
import { faultsOf, wholeFault, type Fault } from '../../designer/messages.ts'
import { createCheck, type CheckResult, type Unavailable } from '../check.ts'
import { noLogo, readChosenLogo, type ChosenLogo } from '../chosen-logo.ts'
import { faultsOfNumbers, readForm } from '../form-values.ts'
import { createFontLoader, noFont } from '../font-loader.ts'
import { createDrawDesign } from '../draw-design.ts'
import { createView, type View } from '../view.ts'
import { withLook } from '../../designer/presets.ts'

// The live preview of the owner's page. The page works without it, so a failure here must leave the page as it is.

const form = document.querySelector<HTMLFormElement>('form.design')

if (form !== null) startPreview(form, createUpdate(form, form.dataset as DOMStringMap & PageData))

type Texts = PreviewTexts & { faults: DesignFaultTexts }

/** What the page passes to the preview, as data attributes of the form. */
interface PageData {
  /** The text that the QR code encodes. */
  text: string
  /** The URL of the font. */
  font: string
  /** The saved design in JSON, or null. */
  design: string
  /** The texts of the preview in JSON. */
  texts: string
  /** Why the saved design scans poorly, or nothing. */
  verdict: string
  /** The URL of the saved image, which the page shows as well. */
  image: string
}

/**
 * Updates the preview to what the form holds.
 * @param isEdited whether the owner has changed something; the server checks only then
 */
type Update = (logo: ChosenLogo, isEdited: boolean) => void

function startPreview(form: HTMLFormElement, update: Update): void {
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

function createUpdate(form: HTMLFormElement, page: PageData): Update {
  const { text } = page
  const texts = JSON.parse(page.texts) as Texts
  const saved = (JSON.parse(page.design) as Design | null) ?? undefined
  const unchanged = JSON.stringify(designOfValues(valuesOfDesign(saved), saved))
  const draw = createDrawDesign(text)
  const fontLoader = createFontLoader(page.font)
  const view = createView(form, texts)
  const check = createCheck(text, (result) => showResult(view, texts, result))
  const showSaved = createSavedVerdict(page, texts, view)
  let latest: unknown

  async function retryWithFont(logo: ChosenLogo, isEdited: boolean): Promise<void> {
    const mine = latest
    const isLoaded = await fontLoader.load()
    if (latest !== mine) return
    if (isLoaded) update(logo, isEdited)
    else view.showResult(texts.fontMissing)
  }

  function update(logo: ChosenLogo, isEdited: boolean): void {
    latest = {}
    const { values, outOfBounds } = readForm(form)
    const design = designOfValues({ ...values, logo: logo.uri }, saved)
    const isSaved = outOfBounds.length === 0 && JSON.stringify(design) === unchanged
    check.cancel()
    view.showStatus(isSaved ? texts.saved : texts.unsaved)
    showSaved(isSaved)
    if (design.frame !== undefined && fontLoader.font === undefined) return void retryWithFont(logo, isEdited)
    const drawFaults = drawInto(view, texts, () => draw(design, fontLoader.font ?? noFont))
    const faults = [...faultsOfNumbers(outOfBounds, design, texts.faults), ...faultsOfLogo(logo, texts), ...drawFaults]
    if (faults.length > 0) return refuse(view, texts, faults)
    // An unedited page has nothing checked, and keeps the errors that the server has put into it.
    if (!isEdited) return
    view.showFaults([])
    check.schedule(design)
  }

  return update
}

/** Shows what is known of the saved design, while the form holds that. */
function createSavedVerdict(page: PageData, texts: Texts, view: View): (isSaved: boolean) => void {
  let known = page.verdict
  let isShown = false
  const show = (isSaved: boolean) => {
    isShown = isSaved
    view.showResult(isSaved ? known : '', page.verdict !== '')
  }
  // The page shows the image, so that the browser has it already. Its header says how well a design scans.
  if (known === '')
    fetch(page.image).then(
      ({ headers }) => {
        known = texts[headers.get('qr-scannability') as Scannability] ?? ''
        if (isShown) show(true)
      },
      () => {},
    )
  return show
}

function refuse(view: View, texts: Texts, faults: Fault[]): void {
  view.showFaults(faults)
  view.showResult(fillText(texts.unusable, { reason: faults[0]?.text ?? '' }))
}

function showResult(view: View, texts: Texts, result: CheckResult): void {
  if ('unavailable' in result) view.showResult(unavailableText(texts, result.unavailable))
  else if ('report' in result) view.showResult(reportText(texts, result.report), result.report.scannability === 'poor')
  else
    refuse(
      view,
      texts,
      result.errors.length > 0 ? faultsOf(result.errors, texts.faults) : [wholeFault(result.detail, texts.faults)],
    )
}

/** Shows the drawn image, or returns why it cannot be drawn. */
function drawInto(view: View, texts: Texts, draw: () => string): Fault[] {
  try {
    view.showImage(draw())
    return []
  } catch (error) {
    if (error instanceof Problem) return faultsOf(error.errors, texts.faults)
    throw error
  }
}

function faultsOfLogo({ fault }: ChosenLogo, texts: Texts): Fault[] {
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
