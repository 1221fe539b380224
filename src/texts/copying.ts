import type { ByLanguage } from './language.ts'

const en = {
  copied: 'Copied',
  byHand: 'The browser did not copy it. It is selected here for you to copy.',
}

const de: typeof en = {
  copied: 'Kopiert',
  byHand: 'Der Browser hat es nicht kopiert. Hier ist es markiert, damit Sie es kopieren können.',
}

/** What buttons say that copy. */
export const copyingTexts: ByLanguage<typeof en> = { en, de }
