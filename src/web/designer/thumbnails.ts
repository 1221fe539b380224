import { html, type Html } from '../../http/html.ts'
import type { QrSymbol } from '../../qr/encoder/encoder.ts'
import { drawEyeBalls, drawEyeFrames, type EyeShape } from '../../qr/design/eyes.ts'
import { pathToSvg, type Path } from '../../qr/design/path.ts'
import type { Design } from '../../qr/design/schema.ts'
import { drawModules, type ModuleShape } from '../../qr/design/shapes.ts'

/** A made-up symbol of a few modules: one whose eyes are all but one left out of the picture by its view box. */
function symbolOf(size: number, dark: readonly string[], left: number, top: number): QrSymbol {
  const modules = new Uint8Array(size * size)
  for (const [y, row] of dark.entries()) {
    for (let x = 0; x < row.length; x++) if (row[x] === '#') modules[(top + y) * size + left + x] = 1
  }
  return { version: 1, size, modules } as QrSymbol
}

/** Modules in all the neighbourhoods that shapes distinguish: single ones, lines, corners and a block. */
const sample = ['##.#.', '.##..', '#.###', '##..#', '.#.##']
const AT = 30
const modulesAlone = symbolOf(60, sample, AT, AT)
const beside = symbolOf(60, ['.#.##', '##.#.', '.###.', '#..##', '##.#.', '.##.#', '#.#.#'], 8, 0)

function picture(viewBox: string, content: Html): Html {
  return html`<svg class="thumbnail" viewBox="${viewBox}" aria-hidden="true">${content}</svg>`
}

function shape(path: Path, fill = 'currentColor'): Html {
  return html`<path fill="${fill}" fill-rule="evenodd" d="${pathToSvg(path)}" />`
}

/** Modules of a shape. */
export function modulesPicture(of: ModuleShape): Html {
  return picture(`${AT} ${AT} 5 5`, shape(drawModules(modulesAlone, of, undefined)))
}

/** An eye with that frame, whose ball is square. */
export function eyeFramePicture(of: EyeShape): Html {
  return eyePicture(drawEyeFrames(modulesAlone, of), drawEyeBalls(modulesAlone, 'square', of))
}

/** An eye with that ball, whose frame is square. */
export function eyeBallPicture(of: EyeShape): Html {
  return eyePicture(drawEyeFrames(modulesAlone, 'square'), drawEyeBalls(modulesAlone, of, 'square'))
}

function eyePicture(frames: Path, balls: Path): Html {
  return picture('-.5 -.5 8 8', html`${shape(firstOf(frames))}${shape(firstOf(balls))}`)
}

/** The first of three eyes: its outlines are a third of the path. */
function firstOf(path: Path): Path {
  return path.slice(0, path.length / 3)
}

/** An eye and some modules in the colours of a design. */
export function designPicture(design: Design): Html {
  const { shape: modules = 'square', eye_frame: frame = 'square', eye_ball: ball = 'square', bg = '#ffffff' } = design
  const ink = design.gradient?.from ?? design.fg ?? '#000000'
  const far = design.gradient?.to ?? ink
  return picture(
    '-1 -1 15 9',
    html`<path
        fill="${bg}"
        d="M-1-1h15v9H-1z"
      />${shape(firstOf(drawEyeFrames(beside, frame)), design.eye_frame_color ?? ink)}
      ${shape(firstOf(drawEyeBalls(beside, ball, frame)), design.eye_ball_color ?? ink)}
      ${shape(drawModules(beside, modules, undefined), far)}`,
  )
}
