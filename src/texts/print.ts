import type { ByLanguage } from './language.ts'

/** By template: what it is called, and what it is for. */
const enPapers = {
  a4: { name: 'Poster A4', use: 'door, wall, shop window' },
  letter: { name: 'Poster Letter', use: 'as A4, in North America' },
  a5: { name: 'Sign A5', use: 'counter, stand' },
  a6: { name: 'Card A6', use: 'table, parcel insert' },
  'tent-a4': { name: 'Table tent', use: 'A4, folded: read from both sides' },
  'card-85x55': { name: 'Business card', use: '85 × 55 mm, to cut out' },
  'sticker-50': { name: 'Square sticker', use: '50 × 50 mm, to cut out' },
  'sticker-50-round': { name: 'Round sticker', use: '50 mm wide, to cut out' },
  'shelf-80x40': { name: 'Shelf label', use: '80 × 40 mm, to cut out' },
}

const dePapers: typeof enPapers = {
  a4: { name: 'Plakat A4', use: 'Tür, Wand, Schaufenster' },
  letter: { name: 'Plakat Letter', use: 'wie A4, in Nordamerika' },
  a5: { name: 'Schild A5', use: 'Theke, Aufsteller' },
  a6: { name: 'Karte A6', use: 'Tisch, Paketbeilage' },
  'tent-a4': { name: 'Tischaufsteller', use: 'A4, gefaltet: von beiden Seiten lesbar' },
  'card-85x55': { name: 'Visitenkarte', use: '85 × 55 mm, zum Ausschneiden' },
  'sticker-50': { name: 'Aufkleber, eckig', use: '50 × 50 mm, zum Ausschneiden' },
  'sticker-50-round': { name: 'Aufkleber, rund', use: '50 mm breit, zum Ausschneiden' },
  'shelf-80x40': { name: 'Regaletikett', use: '80 × 40 mm, zum Ausschneiden' },
}

const enStyles = { plain: 'Plain', classic: 'Classic', loud: 'Loud' }
const deStyles: typeof enStyles = { plain: 'Schlicht', classic: 'Klassisch', loud: 'Laut' }

const en = {
  link: 'More to print: posters, table tents, stickers',
  back: 'Back to the link',
  heading: 'Print the code',
  title: (link: string) => `Print ${link}`,
  suspended: 'The link is blocked, so its code cannot be printed.',
  paused: 'The link is paused: visitors find nothing until you resume it.',
  paper: 'What do you need?',
  papers: enPapers,
  sizeOn: (width: string, distance: string) => `Code up to ${width}, read from ${distance}`,
  refusedOn: (needed: string) => `Too small: this code needs ${needed}`,
  lettering: 'Lettering',
  styles: enStyles,
  fields: { title: 'Headline', text: 'Text' },
  textHint: 'smaller, such as when, where or how much',
  titleHint: 'such as “Scan me”, or what people get',
  address: 'Short link below, for those who type it',
  logo: 'Logo above the headline',
  placement: 'Where does it hang?',
  nowhere: 'No particular place',
  show: 'Show it',
  preview: 'Preview',
  sheet: (paper: string) => `Preview: ${paper}`,
  folds: 'Fold it at the dashed lines, and glue the two outer flaps together.',
  download: 'Download PDF',
  actualSize: 'Print the PDF at 100%, not “fit to page”. Print shops can use it as it is.',
  browser: 'Print with this browser',
  browserHint: 'You can also print this page with your browser: only the sheet appears on the paper.',
  facts: {
    size: 'On this paper',
    sizeText: (width: string, distance: string) =>
      `The code is ${width} wide, white edge included; phones read it from up to ${distance}.`,
    least: 'This code at its smallest',
    leastText: (dots: number, width: string, distance: string) =>
      `It has ${dots} × ${dots} dots: print it at least ${width} wide, which phones read from ${distance}.`,
  },
  distanceNote: 'Phones read a code from about ten times its width.',
  poor: 'Many phones cannot read this code: its colours differ too little, or it is light on a dark ground. Please change its design before you print it.',
  tooNear: (least: string) => `This code is hard to read so small: ${least} or more is safe.`,
  busy: 'The preview cannot be shown right now. Please wait a moment, and press “Show it”.',
  faults: {
    text: 'This does not fit onto the paper, even in the smallest letters. Please shorten it, or choose a larger paper.',
    logo: 'The logo has no room above these texts. Please leave it out, or choose a larger paper.',
    address: 'The short link has no room. Please leave it out, or choose a larger paper.',
    paper: (needed: string) =>
      `This code has so many dots that it must be at least ${needed} wide. It does not fit onto this paper.`,
    use: (paper: string) => `${paper} works.`,
    invisible: 'There is an invisible character in this text. Please type it again.',
    unprintable: (characters: string) =>
      `The PDF cannot have these characters: ${characters}. Print with this browser instead: the preview shows them.`,
    design: 'The saved design of this code cannot be printed so.',
  },
}

const de: typeof en = {
  link: 'Mehr zum Drucken: Plakate, Tischaufsteller, Aufkleber',
  back: 'Zurück zum Link',
  heading: 'Den Code drucken',
  title: (link) => `${link} drucken`,
  suspended: 'Der Link ist gesperrt, deshalb lässt sich sein Code nicht drucken.',
  paused: 'Der Link ist pausiert: Besucher finden nichts, bis Sie ihn fortsetzen.',
  paper: 'Was brauchen Sie?',
  papers: dePapers,
  sizeOn: (width, distance) => `Code bis ${width}, lesbar aus ${distance}`,
  refusedOn: (needed) => `Zu klein: Dieser Code braucht ${needed}`,
  lettering: 'Schrift',
  styles: deStyles,
  fields: { title: 'Überschrift', text: 'Text' },
  textHint: 'kleiner, etwa wann, wo oder wie viel',
  titleHint: 'zum Beispiel „Hier scannen“, oder was es gibt',
  address: 'Kurzlink darunter, für alle, die ihn tippen',
  logo: 'Logo über der Überschrift',
  placement: 'Wo hängt er?',
  nowhere: 'An keinem bestimmten Ort',
  show: 'Anzeigen',
  preview: 'Vorschau',
  sheet: (paper) => `Vorschau: ${paper}`,
  folds: 'Falten Sie an den gestrichelten Linien, und kleben Sie die beiden äußeren Laschen aufeinander.',
  download: 'PDF herunterladen',
  actualSize:
    'Drucken Sie das PDF mit 100\u00a0%, nicht „an Seite angepasst“. Druckereien können es nehmen, wie es ist.',
  browser: 'Mit diesem Browser drucken',
  browserHint: 'Sie können diese Seite auch mit Ihrem Browser drucken: Auf dem Papier erscheint nur das Blatt.',
  facts: {
    size: 'Auf diesem Papier',
    sizeText: (width, distance) =>
      `Der Code ist mit weißem Rand ${width} breit; Handys lesen ihn aus bis zu ${distance}.`,
    least: 'Dieser Code so klein wie möglich',
    leastText: (dots, width, distance) =>
      `Er hat ${dots} × ${dots} Punkte: Drucken Sie ihn mindestens ${width} breit; Handys lesen das aus ${distance}.`,
  },
  distanceNote: 'Handys lesen einen Code aus etwa dem Zehnfachen seiner Breite.',
  poor: 'Viele Handys können diesen Code nicht lesen: Seine Farben unterscheiden sich zu wenig, oder er ist hell auf dunklem Grund. Bitte ändern Sie seine Gestaltung, bevor Sie ihn drucken.',
  tooNear: (least) => `Dieser Code ist so klein schwer zu lesen: Sicher sind ${least} oder mehr.`,
  busy: 'Die Vorschau lässt sich gerade nicht zeigen. Bitte warten Sie einen Moment, und drücken Sie auf „Anzeigen“.',
  faults: {
    text: 'Das passt nicht auf das Papier, auch nicht in den kleinsten Buchstaben. Bitte kürzen Sie es, oder wählen Sie ein größeres Papier.',
    logo: 'Über diesen Texten ist kein Platz für das Logo. Bitte lassen Sie es weg, oder wählen Sie ein größeres Papier.',
    address: 'Für den Kurzlink ist kein Platz. Bitte lassen Sie ihn weg, oder wählen Sie ein größeres Papier.',
    paper: (needed) =>
      `Dieser Code hat so viele Punkte, dass er mindestens ${needed} breit sein muss. Er passt nicht auf dieses Papier.`,
    use: (paper) => `Es geht mit: ${paper}.`,
    invisible: 'In diesem Text ist ein unsichtbares Zeichen. Bitte tippen Sie ihn neu ein.',
    unprintable: (characters) =>
      `Das PDF kann diese Zeichen nicht haben: ${characters}. Drucken Sie stattdessen mit diesem Browser: Die Vorschau zeigt sie.`,
    design: 'Die gespeicherte Gestaltung dieses Codes lässt sich so nicht drucken.',
  },
}

export type PrintTexts = typeof en

/** The page on which an owner prints a code. */
export const printTexts: ByLanguage<PrintTexts> = { en, de }
