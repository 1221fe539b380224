import { html, type Html } from '../../http/html.ts'
import type { DesignerTexts } from '../../texts/designer.ts'
import { lookOf, palettes, presets, type Look, type PaletteName, type PresetName } from './presets.ts'
import { designPicture } from './thumbnails.ts'

/** Looks and colours to start from. Without scripts, each button saves it. */
export function lookButtons(texts: DesignerTexts): Html {
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
