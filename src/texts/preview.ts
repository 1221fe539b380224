import type { ByLanguage } from './language.ts'

const en = {
  label: 'Preview',
  image: 'Preview of the QR code',
  saved: 'This is the saved design.',
  unsaved: 'Not saved yet.',
  save: 'Save',
  fontMissing: 'The font of the frame cannot be loaded right now, so there is no preview.',
  unusable: 'This design cannot be used. {reason}',
  excellent: 'Excellent: it scans even when small, blurred, noisy or faded.',
  good: 'Good: it scans even when rather small, slightly blurred, or at half the contrast.',
  fair: 'Fair: it scans under good conditions. Print it larger, and test it with different phones.',
  poor: 'Poor: many scanners cannot read a code with so little contrast.',
  inverted: 'Poor: many scanners cannot read a code that is light on dark.',
  contrast: 'Contrast {ratio}:1.',
  print: 'Print it at least {width} mm wide: phones can read that from {distance} cm.',
  narrow: 'The quiet zone is narrow: leave the paper around the code empty.',
  covered: 'The logo covers an alignment pattern, which some scanners need.',
  limited:
    'The check is paused, because too many QR codes were requested from your network. It continues in {minutes} min.',
  busy: 'The check is busy right now. The design will be checked when you save it.',
  unreachable: 'The check cannot be reached right now. The design will be checked when you save it.',
}

const de: typeof en = {
  label: 'Vorschau',
  image: 'Vorschau des QR-Codes',
  saved: 'Das ist die gespeicherte Gestaltung.',
  unsaved: 'Noch nicht gespeichert.',
  save: 'Speichern',
  fontMissing: 'Die Schrift des Rahmens kann gerade nicht geladen werden, deshalb gibt es keine Vorschau.',
  unusable: 'Diese Gestaltung ist nicht möglich. {reason}',
  excellent: 'Ausgezeichnet: Der Code lässt sich auch klein, unscharf, verrauscht oder verblasst scannen.',
  good: 'Gut: Der Code lässt sich auch recht klein, leicht unscharf oder mit halbem Kontrast scannen.',
  fair: 'Brauchbar: Der Code lässt sich unter guten Bedingungen scannen. Drucken Sie ihn größer, und prüfen Sie ihn mit verschiedenen Handys.',
  poor: 'Schlecht: Viele Geräte können einen Code mit so wenig Kontrast nicht lesen.',
  inverted: 'Schlecht: Viele Geräte können einen hellen Code auf dunklem Grund nicht lesen.',
  contrast: 'Kontrast {ratio}:1.',
  print: 'Drucken Sie ihn mindestens {width} mm breit: Handys lesen das aus {distance} cm.',
  narrow: 'Die Ruhezone ist schmal: Lassen Sie das Papier um den Code leer.',
  covered: 'Das Logo verdeckt ein Ausrichtungsmuster, das manche Geräte brauchen.',
  limited:
    'Die Prüfung macht Pause, weil aus Ihrem Netz zu viele QR-Codes angefordert wurden. Sie geht in {minutes} Min. weiter.',
  busy: 'Die Prüfung ist gerade ausgelastet. Die Gestaltung wird beim Speichern geprüft.',
  unreachable: 'Die Prüfung ist gerade nicht erreichbar. Die Gestaltung wird beim Speichern geprüft.',
}

export type PreviewTexts = typeof en

/** The live preview of designs; its texts are sent to the browser, with places that it fills. */
export const previewTexts: ByLanguage<PreviewTexts> = { en, de }
