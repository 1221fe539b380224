import type { Scannability } from '../../../qr/check/report.ts'
import type { Design } from '../../../qr/design/schema.ts'
import { createDesignShow, followDesign, type DesignerTexts } from '../design-preview.ts'
import { createDrawDesign } from '../draw-design.ts'
import { createView, type View } from '../view.ts'

export { createCodeDrawer, createListDesigner } from '../bulk/list-designer.ts'

// The live preview of the owner's page. The page works without it, so a failure here must leave the page as it is. The page
// of many links calls what it exports in its place.

const form = document.querySelector<HTMLFormElement>('form.design[data-design]')

if (form !== null) startPreview(form, form.dataset as DOMStringMap & PageData)

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

function startPreview(form: HTMLFormElement, page: PageData): void {
  const texts = JSON.parse(page.texts) as DesignerTexts
  const saved = (JSON.parse(page.design) as Design | null) ?? undefined
  const view = createView(form, texts)
  const drawOne = createDrawDesign()
  const { show, cancel } = createDesignShow({
    texts,
    view,
    font: page.font,
    draw: (design, font) => [drawOne(page.text, design, font)],
    textOf: () => page.text,
  })
  const showSaved = createSavedVerdict(page, texts, view)
  followDesign(form, texts, saved, ({ design, faults, isEdited, isSaved }) => {
    cancel()
    view.showStatus(isSaved ? texts.saved : texts.unsaved)
    showSaved(isSaved)
    show(design, faults, isEdited)
  })
}

/** Shows what is known of the saved design, while the form holds that. */
function createSavedVerdict(page: PageData, texts: DesignerTexts, view: View): (isSaved: boolean) => void {
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
