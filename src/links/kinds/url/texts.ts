import type { KindTexts } from '../kind.ts'

const en: KindTexts = { name: 'Web address', labels: {}, hints: {}, faults: {}, preview: {} }

const de: KindTexts = { name: 'Webadresse', labels: {}, hints: {}, faults: {}, preview: {} }

export const texts = { en, de }
