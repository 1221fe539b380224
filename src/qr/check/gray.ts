/** A greyscale image, row by row: 0 is black, 255 is white. */
export interface Gray {
  width: number
  height: number
  pixels: Uint8Array
}

/** The greyscale of an image on white paper. Colours are premultiplied by their opacity, as the renderer returns them. */
export function grayOf(rgba: Uint8Array, width: number, height: number): Gray {
  const pixels = new Uint8Array(width * height)
  for (let at = 0, from = 0; at < pixels.length; at++, from += 4) {
    const [red = 0, green = 0, blue = 0] = [rgba[from], rgba[from + 1], rgba[from + 2]]
    // Luma of ITU-R BT.601, which scanners use.
    pixels[at] = 0.299 * red + 0.587 * green + 0.114 * blue + 255 - (rgba[from + 3] ?? 0)
  }
  return { width, height, pixels }
}

/** Scales an image down; each pixel is the mean of those it replaces. */
export function shrink(image: Gray, factor: number): Gray {
  if (factor === 1) return image
  const [width, height] = [Math.floor(image.width * factor), Math.floor(image.height * factor)]
  const pixels = new Uint8Array(width * height)
  const from = (at: number) => Math.floor(at / factor)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) pixels[y * width + x] = meanOf(image, [from(x), from(y), from(x + 1), from(y + 1)])
  }
  return { width, height, pixels }
}

function meanOf(
  { width, pixels }: Gray,
  [left, top, right, bottom]: readonly [number, number, number, number],
): number {
  let sum = 0
  for (let y = top; y < bottom; y++) {
    for (let at = y * width + left; at < y * width + right; at++) sum += pixels[at] ?? 0
  }
  return sum / ((bottom - top) * (right - left))
}

/** Blurs an image: three box blurs of `2 * radius + 1` pixels in each direction approximate a Gaussian. */
export function blur(image: Gray, radius: number): Gray {
  let blurred = image
  for (let pass = 0; pass < 3; pass++) {
    blurred = meanAlong(blurred, radius, { step: 1, line: image.width, length: image.width, lines: image.height })
    blurred = meanAlong(blurred, radius, { step: image.width, line: 1, length: image.height, lines: image.width })
  }
  return blurred
}

interface Lines {
  step: number
  line: number
  length: number
  lines: number
}

function meanAlong({ pixels, ...size }: Gray, radius: number, { step, line, length, lines }: Lines): Gray {
  const result = new Uint8Array(pixels.length)
  const width = 2 * radius + 1
  for (let each = 0; each < lines; each++) {
    const at = (index: number) => pixels[each * line + Math.min(length - 1, Math.max(0, index)) * step] ?? 0
    let sum = 0
    for (let index = -radius; index <= radius; index++) sum += at(index)
    for (let index = 0; index < length; index++) {
      result[each * line + index * step] = sum / width
      sum += at(index + radius + 1) - at(index - radius)
    }
  }
  return { ...size, pixels: result }
}

/** Adds noise of up to `amplitude` to each pixel, the same for the same image. */
export function noise({ pixels, ...size }: Gray, amplitude: number): Gray {
  // A pseudorandom sequence (Lehmer, modulus 2^31 - 1) with a fixed seed: the same image must always get the same grade.
  let state = 20_261_121
  const noisy = pixels.map((value) => {
    state = (state * 48_271) % 2_147_483_647
    return Math.min(255, Math.max(0, value + ((state / 2_147_483_647) * 2 - 1) * amplitude))
  })
  return { ...size, pixels: noisy }
}

/** Reduces the contrast to a share of what it was. */
export function fade({ pixels, ...size }: Gray, share: number): Gray {
  return { ...size, pixels: pixels.map((value) => 128 + (value - 128) * share) }
}

/** Encodes an image as PGM (netpbm's P5), which decoders read. */
export function toPgm({ width, height, pixels }: Gray): Buffer {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), pixels])
}
