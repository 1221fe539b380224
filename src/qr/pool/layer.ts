/** Pixels to draw onto others, row by row; colours are premultiplied by their opacity. */
export interface Layer {
  left: number
  top: number
  width: number
  height: number
  pixels: Uint8Array
}

/** Makes the pixels at the edges of a box, which may be between pixels, as translucent as the part of them outside; modifies them in place. */
export function cutOff<T extends Layer>(
  layer: T,
  box: { left: number; top: number; right: number; bottom: number } | undefined,
): T {
  if (box === undefined) return layer
  const { left, top, width, height, pixels } = layer
  const shareOf = (at: number, from: number, to: number) => Math.min(at + 1, to) - Math.max(at, from)
  for (let y = 0; y < height; y++) {
    const down = shareOf(top + y, box.top, box.bottom)
    for (let x = 0; x < width; x++) {
      const share = down * shareOf(left + x, box.left, box.right)
      if (share >= 1) continue
      for (let at = (y * width + x) * 4, end = at + 4; at < end; at++)
        pixels[at] = Math.round((pixels[at] ?? 0) * share)
    }
  }
  return layer
}

/** Draws a layer onto those pixels of an image from a row on; modifies them in place. */
export function drawOnto(image: { top: number; width: number; pixels: Uint8Array }, layer: Layer): void {
  const rows = image.pixels.length / 4 / image.width
  const first = Math.max(image.top, layer.top)
  const last = Math.min(image.top + rows, layer.top + layer.height)
  for (let y = first; y < last; y++) {
    let from = (y - layer.top) * layer.width * 4
    let to = ((y - image.top) * image.width + layer.left) * 4
    for (const end = from + layer.width * 4; from < end; from += 4, to += 4) {
      const through = 255 - (layer.pixels[from + 3] ?? 0)
      if (through === 255) continue
      for (let each = 0; each < 4; each++) {
        // As the renderer divides by 255.
        const below = ((image.pixels[to + each] ?? 0) * through + 255) >> 8
        image.pixels[to + each] = Math.min(255, (layer.pixels[from + each] ?? 0) + below)
      }
    }
  }
}
