import type { KindTexts } from '../kind.ts'

type Texts = KindTexts<'ios' | 'android' | 'fallback'>

const en: Texts = {
  name: 'App',
  labels: { ios: 'App Store', android: 'Google Play', fallback: 'Everyone else' },
  hints: { ios: 'for iPhone and iPad', android: 'for Android', fallback: 'your website, say' },
  faults: { ios: { required: 'Please enter at least one address.' } },
  preview: {},
}

const de: Texts = {
  name: 'App',
  labels: { ios: 'App Store', android: 'Google Play', fallback: 'Alle anderen' },
  hints: { ios: 'für iPhone und iPad', android: 'für Android', fallback: 'zum Beispiel Ihre Website' },
  faults: { ios: { required: 'Bitte geben Sie mindestens eine Adresse ein.' } },
  preview: {},
}

export const texts = { en, de }
