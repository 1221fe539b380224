/** The letters of the frames' texts, as `build/letters.ts` has drawn them. */
export const fontFile = new URL('design/letters.txt', import.meta.url)
