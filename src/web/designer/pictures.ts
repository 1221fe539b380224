import type { Html } from '../../http/html.ts'
import type { EyeShape } from '../../qr/design/eyes.ts'
import type { ModuleShape } from '../../qr/design/shapes.ts'
import type { DesignerTexts } from '../../texts/designer.ts'
import { lookButtons } from './looks.ts'
import { eyeBallPicture, eyeFramePicture, modulesPicture } from './thumbnails.ts'

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
