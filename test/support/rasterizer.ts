import { openRasterizer } from '../../src/qr/pool/raster.ts'

/** One for all files of tests in a process, which can load its code only once. */
export const rasterizer = await openRasterizer()
