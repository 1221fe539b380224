import { type Html, html } from '../../http/html.ts'
import type { EyeShape } from '../../qr/design/eyes.ts'
import type { ModuleShape } from '../../qr/design/shapes.ts'
import type { DesignerTexts } from '../../texts/designer.ts'
import { eyeBallPicture, eyeFramePicture, modulesPicture, designPicture } from './thumbnails.ts'
import { lookOf, palettes, presets, type Look, type PaletteName, type PresetName } from './presets.ts'

/** What the design form shows of shapes and looks. Drawing it takes longer than the rest of the owner's page. */
export interface DesignerPictures {
  modules: (shape: ModuleShape) => Html
  eyeFrame: (shape: EyeShape) => Html
  eyeBall: (shape: EyeShape) => Html
  /** The buttons of looks, in a language. */
  looks: (texts: DesignerTexts) => Html
}

/** Draws each picture once, when a page shows it first. */
export function createDesignerPictures(): DesignerPictures {
  return {
    modules: once(modulesPicture),
    eyeFrame: once(eyeFramePicture),
    eyeBall: once(eyeBallPicture),
    looks: once(lookButtons),
  }
}

/** The inputs are those of the program: a few shapes and languages. */
function once<Input>(draw: (input: Input) => Html): (input: Input) => Html {
  const drawn = new Map<Input, Html>()
  return (input) => {
    const known = drawn.get(input)
    if (known !== undefined) return known
    const picture = draw(input)
    drawn.set(input, picture)
    return picture
  }
}

/** Looks and colours to start from. Without scripts, each button saves it. */
function lookButtons(texts: DesignerTexts): Html {
  const button = (name: PresetName | PaletteName, label: string, look: Look) =>
    html`<button class="look" form="looks" name="look" value="${name}" data-look="${JSON.stringify(lookOf(name))}">
      ${designPicture(look)}<span>${label}</span>
    </button>`
  return html`<fieldset class="looks">
      <legend>${texts.presets}</legend>
      ${entriesOf(presets).map(([name, look]) => button(name, texts.presetNames[name], look))}
    </fieldset>
    <fieldset class="looks palettes">
      <legend>${texts.palettes}</legend>
      ${entriesOf(palettes).map(([name, look]) => button(name, texts.paletteNames[name], look))}
    </fieldset>`
}

function entriesOf<Name extends string>(looks: Record<Name, Look>): [Name, Look][] {
  return Object.entries(looks) as [Name, Look][]
}
