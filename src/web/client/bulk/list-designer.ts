import { fillText } from '../../../lib/fill-text.ts'
import type { Design } from '../../../qr/design/schema.ts'
import { createDesignShow, followDesign, type DesignerTexts, type Edited } from '../design-preview.ts'
import { createDrawDesign } from '../draw-design.ts'
import { createFontLoader, noFont } from '../font-loader.ts'
import { createViewOf, showSvg, type Pictures } from '../view.ts'

/** A code that does not exist yet: what it encodes, and which row it is of. */
export interface Sample {
  text: string
  caption: string
}

/** Where the codes of a list get their look. */
export interface ListDesigner {
  /** Shows the codes of the first rows: with a look of a collection or, without one, with what the form holds. */
  show: (samples: Sample[], kept: Design | undefined) => void
}

/** What the designer of a list needs of its page. */
export interface ListDesignerNeeds {
  texts: DesignerTexts
  /** The URL of the font. */
  font: string
  /** What the image of a row is, with "{row}" for its caption. */
  image: string
  /** Called with the design of the form, and whether what is shown can be used. */
  onDesign: (design: Design) => void
  onVerdict: (isUsable: boolean) => void
}

/** Makes a form design the codes of a list; the service checks the first one of them. */
export function createListDesigner(form: HTMLFormElement, needs: ListDesignerNeeds): ListDesigner {
  const { texts, font, onDesign, onVerdict } = needs
  const drawOne = createDrawDesign()
  const pictures = createSamples(needs.image)
  const view = createViewOf(form, texts, pictures)
  let samples: Sample[] = []
  let kept: Design | undefined
  let edited: Edited | undefined
  const shown = createDesignShow({
    texts,
    view,
    font,
    draw: (design, font) => samples.map(({ text }) => drawOne(text, design, font)),
    textOf: () => samples[0]?.text ?? '',
    onVerdict,
  })
  const refresh = () => {
    if (samples.length === 0) return shown.cancel()
    pictures.name(samples)
    view.showResult('')
    if (kept !== undefined) shown.show(kept, () => [], true)
    else if (edited !== undefined) shown.show(edited.design, edited.faults, edited.isEdited)
  }
  followDesign(form, texts, undefined, (change) => {
    edited = change
    onDesign(change.design)
    refresh()
  })
  return {
    show(ofRows, look) {
      samples = ofRows
      kept = look
      refresh()
    },
  }
}

/** The images of the first rows, each with what it is of. */
function createSamples(image: string): Pictures & { name: (samples: Sample[]) => void } {
  const element = document.createElement('div')
  element.className = 'bulk-samples'
  const figures = () => [...element.querySelectorAll('figure')]
  return {
    element,
    name(samples) {
      while (element.children.length > samples.length) element.lastElementChild?.remove()
      while (element.children.length < samples.length) element.append(newFigure())
      for (const [at, figure] of figures().entries()) {
        const { caption = '' } = samples[at] ?? {}
        const [picture, text] = [figure.querySelector('img'), figure.querySelector('figcaption')]
        if (picture) picture.alt = fillText(image, { row: caption })
        if (text) text.textContent = caption
      }
    },
    show(svgs) {
      for (const [at, picture] of element.querySelectorAll('img').entries()) showSvg(picture, svgs[at] ?? '')
    },
  }
}

function newFigure(): HTMLElement {
  const [figure, picture] = [document.createElement('figure'), document.createElement('img')]
  picture.className = 'qr'
  figure.append(picture, document.createElement('figcaption'))
  return figure
}

/** Draws codes as SVG, each with its design. @throws when the font of frames cannot be loaded */
export function createCodeDrawer(font: string): (text: string, design: Design) => Promise<string> {
  const draw = createDrawDesign()
  const loader = createFontLoader(font)
  return async (text, design) => {
    if (design.frame !== undefined && loader.font === undefined && !(await loader.load()))
      throw new Error('the font of frames cannot be loaded')
    return draw(text, design, loader.font ?? noFont)
  }
}
