/** The font of the frames' texts, in WOFF. */
export const fontFile = new URL(import.meta.resolve('roboto-fontface/fonts/roboto/Roboto-Bold.woff'))
