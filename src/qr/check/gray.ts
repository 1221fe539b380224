/** Grey pixels, row by row: 0 is black, 255 is white. */
export interface Gray {
  width: number
  height: number
  pixels: Uint8Array
}

/** What a camera sees of an image on white paper. Colours are premultiplied by their opacity, as a renderer gives them. */
export function grayOf(rgba: Uint8Array, width: number, height: number): Gray {
  const pixels = new Uint8Array(width * height)
  for (let at = 0, from = 0; at < pixels.length; at++, from += 4) {
    const [red = 0, green = 0, blue = 0] = [rgba[from], rgba[from + 1], rgba[from + 2]]
    // Luma of ITU-R BT.601, which scanners use.
    pixels[at] = 0.299 * red + 0.587 * green + 0.114 * blue + 255 - (rgba[from + 3] ?? 0)
  }
  return { width, height, pixels }
}

/** Fewer pixels, each the mean of those that it stands for. */
export function shrink(image: Gray, factor: number): Gray {
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

/** Out of focus: three means over `2 * radius + 1` pixels, across and down, come close to a Gaussian. */
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
    const at = (place: number) => pixels[each * line + Math.min(length - 1, Math.max(0, place)) * step] ?? 0
    let sum = 0
    for (let place = -radius; place <= radius; place++) sum += at(place)
    for (let place = 0; place < length; place++) {
      result[each * line + place * step] = sum / width
      sum += at(place + radius + 1) - at(place - radius)
    }
  }
  return { ...size, pixels: result }
}

/** A bad sensor: to each pixel something between plus and minus `most`, the same for the same image. */
export function noise({ pixels, ...size }: Gray, most: number): Gray {
  // Numbers that look random (Lehmer, modulus 2^31 - 1); an image must be judged the same each time.
  let state = 20_261_121
  const noisy = pixels.map((value) => {
    state = (state * 48_271) % 2_147_483_647
    return Math.min(255, Math.max(0, value + ((state / 2_147_483_647) * 2 - 1) * most))
  })
  return { ...size, pixels: noisy }
}

/** Bad light: the distance to a middle grey is only that share of what it was. */
export function fade({ pixels, ...size }: Gray, share: number): Gray {
  return { ...size, pixels: pixels.map((value) => 128 + (value - 128) * share) }
}

/** The simplest of image files (netpbm's P5), which decoders read. */
export function toPgm({ width, height, pixels }: Gray): Buffer {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), pixels])
}
