import { readFileSync } from 'node:fs'
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import { grayOf, shrink, type Gray } from '../check/gray.ts'
import type { Pixels } from '../design/scene-pdf.ts'
import { scenePartsOf, type ScenePart } from '../design/scene-svg.ts'
import type { Scene } from '../design/scene.ts'
import { createRgbaEncoder, renderRgbaPng } from '../png/rgba.ts'
import { boundWasm } from './bounded-wasm.ts'
import { cutOff, drawOnto } from './layer.ts'

/** Renders the images of this service to pixels. */
export interface Rasterizer {
  /** The greyscale of an image at that width on white paper. */
  photograph: (svg: string, width: number) => Gray
  /** A scene as a PNG, and its greyscale; that of a large one has a fraction of its pixels. */
  draw: (scene: Scene) => { png: Uint8Array; gray: Gray }
  /** A scene as a PNG. */
  drawPng: (scene: Scene) => Uint8Array
  pixels: (svg: string) => Pixels
  /** An image as a PNG at its own width. */
  png: (svg: string) => Uint8Array
}

type RenderedImage = ReturnType<InstanceType<typeof Resvg>['render']>

/**
 * Pixels of a band. An image is rendered and encoded in as many as it takes: the memory of WebAssembly only grows, and an image
 * of 4096 px would take 300 MB at once.
 */
const BAND = 2 ** 21
/**
 * Rows around a band that are rendered and left out: the renderer cuts off curves at its edge, and draws what remains of them a
 * little differently.
 */
const AROUND = 64
/**
 * What the renderer may have; the costliest logo that was found and a design may have takes 93 MB. Where one asks for more than it seemed
 * to, by a way of drawing that `logo/` does not know, the renderer traps.
 */
const MAX_MEMORY = 128 * 1024 * 1024
/** Larger images are shrunk to this width, or to less than twice as much, before they are read back. */
const PHOTOGRAPHED = 1024

/** @param maxMemory what the renderer may have, in bytes; the first call decides */
export async function openRasterizer(maxMemory = MAX_MEMORY): Promise<Rasterizer> {
  const module = readFileSync(new URL(import.meta.resolve('@resvg/resvg-wasm/index_bg.wasm')))
  await initWasm(boundWasm(module, maxMemory))
  return {
    photograph: (svg, width) => render(svg, width, (image) => grayOf(image.pixels, image.width, image.height)),
    draw(scene) {
      const { width, height } = scene
      const factor = Math.max(1, Math.floor(width / PHOTOGRAPHED))
      const gray = { width: Math.floor(width / factor), height: Math.floor(height / factor), pixels: new Uint8Array(0) }
      gray.pixels = new Uint8Array(gray.width * gray.height)
      let at = 0
      const png = drawBands(scene, factor, (pixels) => {
        const band = shrink(grayOf(pixels, width, pixels.length / 4 / width), 1 / factor)
        gray.pixels.set(band.pixels, at)
        at += band.pixels.length
      })
      return { gray, png }
    },
    drawPng: (scene) => drawBands(scene, 1),
    // The renderer's PNGs are twice as large, and black where they are transparent.
    png: (svg) => render(svg, undefined, ({ pixels, width, height }) => renderRgbaPng(pixels, width, height)),
    pixels: (svg) =>
      render(svg, undefined, (image) => ({ width: image.width, height: image.height, rgba: straight(image.pixels) })),
  }
}

// Text is drawn as shapes, so no fonts are needed.
const FONT = { loadSystemFonts: false }

function render<T>(svg: string, width: number | undefined, use: (image: RenderedImage) => T): T {
  const tree = new Resvg(svg, { font: FONT, ...(width && { fitTo: { mode: 'width', value: width } }) })
  return thenFree([tree], () => {
    const image = tree.render()
    return thenFree([image], () => use(image))
  })
}

/** Frees what a renderer has that did not trap: one that did would say that it is still in use, and not what has happened. */
function thenFree<T>(owned: readonly { free: () => void }[], use: () => T): T {
  let isUsable = true
  try {
    return use()
  } catch (error) {
    isUsable = !isTrap(error)
    throw error
  } finally {
    if (isUsable) for (const each of owned) each.free()
  }
}

/** Whether WebAssembly has trapped: its module is in an undefined state, and must not be used again. */
export const isTrap = (error: unknown) => error instanceof Error && error.name === 'RuntimeError'

/**
 * Draws a scene as a PNG.
 * @param multiple rows of a band are a multiple of it
 * @param onBand called with the pixels of each band, whose colours are premultiplied
 */
function drawBands(scene: Scene, multiple: number, onBand?: (pixels: Uint8Array) => void): Buffer {
  const { code, logo } = scenePartsOf(scene)
  const { width, height } = scene
  const layer = logo && render(logo.svg, undefined, ({ pixels }) => cutOff({ ...logo, pixels }, logo.cutTo))
  const encoder = createRgbaEncoder(width, height)
  const rows = Math.max(1, Math.floor(BAND / width / multiple)) * multiple
  renderBands(code, rows, (top, pixels) => {
    if (layer) drawOnto({ top, width, pixels }, layer)
    onBand?.(pixels)
    encoder.add(pixels)
  })
  return encoder.end()
}

/**
 * Renders an image in bands of so many rows. It must have no layers: the renderer traps on those that are far outside of a band.
 * @param onBand called with the first row of each, and its pixels, which are valid until it returns
 */
function renderBands(
  { svg, width, height }: ScenePart,
  rows: number,
  onBand: (top: number, pixels: Uint8Array) => void,
): void {
  const tree = new Resvg(svg, { font: FONT })
  const box = tree.getBBox()
  if (box === undefined) throw new Error('a code without modules')
  box.x = 0
  box.width = width
  thenFree([box, tree], () => {
    for (let top = 0; top < height; top += rows) {
      const bottom = Math.min(height, top + rows)
      box.y = Math.max(0, top - AROUND)
      box.height = Math.min(height, bottom + AROUND) - box.y
      tree.cropByBBox(box)
      const image = tree.render()
      const { pixels } = image
      image.free()
      onBand(top, pixels.subarray((top - box.y) * width * 4, (bottom - box.y) * width * 4))
      // Its memory is free at once: the garbage of all bands would be as large as the image.
      if (pixels.buffer instanceof ArrayBuffer) pixels.buffer.transfer(0)
    }
  })
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
