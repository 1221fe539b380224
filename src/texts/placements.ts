import type { ByLanguage } from './language.ts'

const en = {
  title: 'Where does it hang?',
  lead: 'One link, many places: each place gets a QR code of its own, and the statistics count its visits apart.',
  advice: 'Name a place, such as “Shop window” or “Flyer May”, and not a person.',
  count: (number: number) => (number === 0 ? 'None' : number === 1 ? '1 place' : `${number} places`),
  downloads: (place: string) => `QR code: ${place}`,
  remove: 'Remove',
  printAll: 'Print all codes',
  sheet: (link: string) => `Codes of ${link} by place`,
  sheetLead: 'Each code belongs to the place below it. Print this page with the browser, and cut the codes apart.',
  print: 'Print',
  back: 'Back to the link',
  new: 'Add or rename a place',
  name: 'Name of the place',
  nameFault: 'Use at most 80 characters, and no control characters.',
  id: 'ID of the place (if you want your own)',
  idHint:
    'the code contains it; left empty, it is made of the name: 1 to 32 letters (A to Z), digits, - and _. One that is listed above gets the new name.',
  idFault: 'Use 1 to 32 letters (A to Z), digits, - and _; only 1 itself is taken.',
  button: 'Save place',
  full: (most: number) => `This link has ${most} places, which is the most.`,
  done: 'The place is saved. Download its code and hang it there.',
  removed: 'The place is removed. Its visits so far stay; further ones count without a place.',
}

const de: typeof en = {
  title: 'Wo hängt er?',
  lead: 'Ein Link, viele Orte: Jeder Ort bekommt einen eigenen QR-Code, und die Statistik zählt seine Besuche getrennt.',
  advice: 'Nennen Sie einen Ort, zum Beispiel „Schaufenster“ oder „Flyer Mai“, und keine Person.',
  count: (number) => (number === 0 ? 'Keine' : number === 1 ? '1 Ort' : `${number} Orte`),
  downloads: (place) => `QR-Code: ${place}`,
  remove: 'Entfernen',
  printAll: 'Alle Codes drucken',
  sheet: (link) => `Codes von ${link} nach Orten`,
  sheetLead:
    'Jeder Code gehört an den Ort, der darunter steht. Drucken Sie diese Seite mit dem Browser, und schneiden Sie die Codes auseinander.',
  print: 'Drucken',
  back: 'Zurück zum Link',
  new: 'Ort hinzufügen oder umbenennen',
  name: 'Name des Orts',
  nameFault: 'Bitte höchstens 80 Zeichen und keine Steuerzeichen.',
  id: 'ID des Orts (wenn Sie eine eigene wollen)',
  idHint:
    'sie steht im Code; leer wird sie aus dem Namen gebildet: 1 bis 32 Buchstaben (A bis Z), Ziffern, - und _. Eine, die oben steht, bekommt den neuen Namen.',
  idFault: 'Bitte 1 bis 32 Buchstaben (A bis Z), Ziffern, - und _; nur die 1 allein ist vergeben.',
  button: 'Ort speichern',
  full: (most) => `Dieser Link hat ${most} Orte; mehr sind nicht möglich.`,
  done: 'Der Ort ist gespeichert. Laden Sie seinen Code herunter und hängen Sie ihn dort auf.',
  removed: 'Der Ort ist entfernt. Seine bisherigen Besuche bleiben; weitere zählen ohne Ort.',
}

/** The places in which the code of a link hangs. */
export const placementTexts: ByLanguage<typeof en> = { en, de }
