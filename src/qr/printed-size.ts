/**
 * The smallest module that phones resolve at arm's length, in millimetres on paper (ISO/IEC 18004 leaves it to the application; see
 * docs/qr.md).
 */
export const LEAST_MODULE_MM = 0.4

/** Phones read a code from about ten times its width. */
export const DISTANCE_TO_WIDTH = 10

/** What decides how large the image of a code has to be. */
export interface PrintedSize {
  /** The width of a module, as a share of the image's: 0 to 1. */
  module: number
  /** The smallest width of the image, quiet zone included, in whole millimetres. */
  smallest: number
}
