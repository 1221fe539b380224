import { openRasterizer } from '../../src/qr/pool/raster.ts'

/** Shared by all test files of a process, which can load its code only once. It has the memory to draw the largest images at once. */
export const rasterizer = await openRasterizer(1024 ** 3)
