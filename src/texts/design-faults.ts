import type { ByLanguage } from './language.ts'

/** The fields of a design by the names of their inputs; the empty one is the design as a whole. */
const names = {
  '': 'The design',
  shape: 'The shape of the dots',
  eye_frame: 'The shape of the corner frames',
  eye_ball: 'The shape of the corner centres',
  fg: 'The colour',
  gradient: 'The gradient',
  gradient_type: 'The fill',
  gradient_from: 'The first colour',
  gradient_to: 'The last colour',
  gradient_angle: 'The angle',
  bg: 'The background',
  eye_frame_color: 'The colour of the corner frames',
  eye_ball_color: 'The colour of the corner centres',
  logo: 'The logo',
  logo_size: 'The size of the logo',
  logo_knockout: 'The choice of dots behind the logo',
  frame: 'The frame',
  frame_text: 'The text',
  frame_position: 'The position of the text',
  frame_shape: 'The corners of the frame',
  frame_color: 'The colour of the frame',
  frame_text_color: 'The colour of the text',
  margin: 'The quiet zone',
  ecl: 'The error correction',
}

export type DesignField = keyof typeof names

export interface DesignFaultTexts {
  names: Record<DesignField, string>
  /** What is wrong with a field, or how it becomes valid; `{reason}` stands for the reason of the API, which is English. */
  faults: Record<DesignField, string>
  /** Without `{fields}`, the image could be read. */
  unreadable: string
  and: string
}

const en: DesignFaultTexts = {
  names,
  faults: Object.fromEntries(
    Object.entries(names).map(([field, name]) => [field, `${name} {reason}.`]),
  ) as DesignFaultTexts['faults'],
  unreadable: 'The code cannot be scanned like this. It works without: {fields}.',
  and: ' and ',
}

const chooseShape = 'Bitte wählen Sie eine der Formen.'
const chooseColour = 'Bitte wählen Sie eine Farbe, die sich deutlich vom Hintergrund unterscheidet.'

const de: DesignFaultTexts = {
  names: {
    '': 'Die Gestaltung',
    shape: 'Die Form der Punkte',
    eye_frame: 'Die Form der Eckrahmen',
    eye_ball: 'Die Form der Eckpunkte',
    fg: 'Die Farbe',
    gradient: 'Der Verlauf',
    gradient_type: 'Die Füllung',
    gradient_from: 'Die erste Farbe',
    gradient_to: 'Die letzte Farbe',
    gradient_angle: 'Der Winkel',
    bg: 'Der Hintergrund',
    eye_frame_color: 'Die Farbe der Eckrahmen',
    eye_ball_color: 'Die Farbe der Eckpunkte',
    logo: 'Das Logo',
    logo_size: 'Die Größe des Logos',
    logo_knockout: 'Die Wahl der Punkte hinter dem Logo',
    frame: 'Der Rahmen',
    frame_text: 'Der Text',
    frame_position: 'Die Lage des Textes',
    frame_shape: 'Die Ecken des Rahmens',
    frame_color: 'Die Farbe des Rahmens',
    frame_text_color: 'Die Farbe des Textes',
    margin: 'Die Ruhezone',
    ecl: 'Die Fehlerkorrektur',
  },
  faults: {
    '': 'Mit dieser Gestaltung lässt sich der Code nicht lesen. Wählen Sie mehr Kontrast, ein kleineres Logo oder einfachere Formen.',
    shape: chooseShape,
    eye_frame: chooseShape,
    eye_ball: chooseShape,
    fg: chooseColour,
    gradient: 'Bitte wählen Sie zwei Farben für den Verlauf, und keine weitere.',
    gradient_type: 'Bitte wählen Sie eine der Füllungen.',
    gradient_from: chooseColour,
    gradient_to: chooseColour,
    gradient_angle: 'Bitte geben Sie einen Winkel von 0 bis 359 Grad ein, ohne Komma.',
    bg: 'Bitte wählen Sie einen Hintergrund, von dem sich der Code deutlich unterscheidet.',
    eye_frame_color: chooseColour,
    eye_ball_color: chooseColour,
    logo: 'Dieses Bild lässt sich nicht verwenden. Bitte wählen Sie ein PNG, JPEG oder SVG mit höchstens 256 KiB, ohne Animation, ohne Text und ohne Verweise auf andere Dateien.',
    logo_size: 'Bitte wählen Sie eine Größe von 5 bis 40 %. Wenn der Code damit nicht lesbar ist, hilft eine kleinere.',
    logo_knockout: 'Bitte wählen Sie, ob die Punkte hinter dem Logo wegfallen.',
    frame: 'Dieser Rahmen lässt sich nicht verwenden. Bitte ändern Sie ihn.',
    frame_text:
      'Bitte geben Sie einen Text von höchstens 40 Zeichen ein, aus lateinischen, griechischen oder kyrillischen Buchstaben, Ziffern und Satzzeichen, ohne Emojis und Pfeile.',
    frame_position: 'Bitte wählen Sie eine der Lagen.',
    frame_shape: 'Bitte wählen Sie eine der Ecken.',
    frame_color: 'Bitte wählen Sie eine Farbe, von der sich der Text deutlich unterscheidet.',
    frame_text_color: 'Bitte wählen Sie eine Farbe, die sich deutlich vom Rahmen unterscheidet.',
    margin: 'Bitte geben Sie eine ganze Zahl von 0 bis 16 ein.',
    ecl: 'Bitte wählen Sie eine der Stufen.',
  },
  unreadable: 'So ist der Code nicht lesbar. Ohne Folgendes geht es: {fields}.',
  and: ' und ',
}

/** Why a design cannot be used; the live preview gets them as well. */
export const designFaultTexts: ByLanguage<DesignFaultTexts> = { en, de }
