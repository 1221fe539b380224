import { readFileSync } from 'node:fs'
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import { grayOf, type Gray } from '../check/gray.ts'
import type { Pixels } from '../design/scene-pdf.ts'
import { renderRgbaPng } from '../png/rgba.ts'

type RenderedImage = ReturnType<InstanceType<typeof Resvg>['render']>

/** Renders the SVGs of this service to pixels. */
export interface Rasterizer {
  /** The greyscale of an image at that width on white paper. */
  photograph: (svg: string, width: number) => Gray
  /** An image as a PNG at its own width, and its greyscale. */
  draw: (svg: string) => { png: Uint8Array; gray: Gray }
  pixels: (svg: string) => Pixels
  /** An image as a PNG at its own width. */
  png: (svg: string) => Uint8Array
}

export async function openRasterizer(): Promise<Rasterizer> {
  await initWasm(readFileSync(new URL(import.meta.resolve('@resvg/resvg-wasm/index_bg.wasm'))))
  const render = <T>(svg: string, width: number | undefined, use: (image: RenderedImage) => T): T => {
    // Text is drawn as shapes, so no fonts are needed.
    const tree = new Resvg(svg, {
      font: { loadSystemFonts: false },
      ...(width && { fitTo: { mode: 'width', value: width } }),
    })
    let image: RenderedImage | undefined
    try {
      image = tree.render()
      return use(image)
    } finally {
      image?.free()
      tree.free()
    }
  }
  return {
    photograph: (svg, width) => render(svg, width, (image) => grayOf(image.pixels, image.width, image.height)),
    draw: (svg) =>
      render(svg, undefined, (image) => {
        const { pixels, width, height } = image
        const gray = grayOf(pixels, width, height)
        // The renderer's PNGs are twice as large, and black where they are transparent.
        return { gray, png: renderRgbaPng(pixels, width, height) }
      }),
    png: (svg) => render(svg, undefined, ({ pixels, width, height }) => renderRgbaPng(pixels, width, height)),
    pixels: (svg) =>
      render(svg, undefined, (image) => ({ width: image.width, height: image.height, rgba: straight(image.pixels) })),
  }
}

/** Converts premultiplied colours to straight ones. */
function straight(pixels: Uint8Array): Uint8Array {
  const rgba = Uint8Array.from(pixels)
  for (let at = 0; at < rgba.length; at += 4) {
    const alpha = rgba[at + 3] ?? 0
    if (alpha === 0 || alpha === 255) continue
    for (let each = at; each < at + 3; each++) rgba[each] = Math.min(255, ((rgba[each] ?? 0) * 255) / alpha)
  }
  return rgba
}
