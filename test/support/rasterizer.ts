import { openRasterizer } from '../../src/qr/pool/raster.ts'

/** Shared by all test files of a process, which can load its code only once. */
export const rasterizer = await openRasterizer()
