/** The position of a symbol's modules in a square of pixels. */
export interface Raster {
  /** Pixels of a side. */
  size: number
  /** Pixels of a module's side; 0 when the square is too small. */
  scale: number
  /** Pixels between the edge and the symbol, left and top. */
  offset: number
}

/** Makes modules as many whole pixels as fit; remaining pixels widen the quiet zone. */
export function rasterOf(modules: number, { size, margin }: { size: number; margin: number }): Raster {
  const scale = Math.floor(size / (modules + 2 * margin))
  return { size, scale, offset: Math.floor((size - modules * scale) / 2) }
}
