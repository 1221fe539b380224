/** Where a symbol's modules lie in a square of pixels. */
export interface Raster {
  /** Pixels of a side. */
  size: number
  /** Pixels of a module's side; 0 when there is no room for one. */
  scale: number
  /** Pixels between the edge and the symbol, left and top. */
  offset: number
}

/** Modules are whole pixels, as large as fit beside the quiet zone; what is left over goes to the quiet zone. */
export function rasterOf(modules: number, { size, margin }: { size: number; margin: number }): Raster {
  const scale = Math.floor(size / (modules + 2 * margin))
  return { size, scale, offset: Math.floor((size - modules * scale) / 2) }
}
