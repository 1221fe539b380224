import type { ByLanguage } from './language.ts'

const en = {
  link: 'Try it with your phone',
  title: (name: string) => `${name}: try the code`,
  heading: 'Try it with your phone',
  lead: 'This is your code, as large as it will be on paper. Scan it here before you print it.',
  onPhone: 'A phone cannot scan its own screen: open this page on a computer, or scan it with a second phone.',
  back: 'Back to the link',
  suspended: 'This link is blocked, so its code leads to nothing that could be tried.',
  paused: 'The link is paused: visits are neither answered nor counted. Resume it before you try its code.',
  size: 'Width on paper',
  own: 'Another width, in mm',
  show: 'Show',
  place: 'Place of the code',
  noPlace: 'No place',
  check: {
    heading: 'If nothing arrives',
    tap: 'Tap the address that the camera shows. Looking at it is not a visit yet.',
    light: 'Make the screen bright, keep reflections off it, and hold the phone still for a moment.',
    distance: 'Go closer, then farther away. If that helps, print the code wider.',
    reach: (origin: string) =>
      `The phone has to reach ${origin}. A phone outside of your network shows whether others can.`,
    rules: 'A rule may lead elsewhere. The visit counts all the same.',
    password: 'The link asks for a password. The visit counts when that is entered.',
    hand: 'Open the short link on the phone by hand. That does not appear here, but shows whether it leads where it should.',
  },
  steps: {
    heading: 'Scan it',
    camera: 'Open the camera of your phone, and point it at the code.',
    tap: 'Tap the address that the camera shows: only then is it a visit.',
    look: 'Within a few seconds, this page says here that it has arrived.',
    lookByHand: 'Then press the button here, which looks whether it has arrived.',
  },
  real: 'A trial is a real visit, and the statistics count it as one.',
  waiting: 'Waiting for your phone …',
  late: 'Nothing has arrived yet. What helps is below.',
  none: (at: string) => `Nothing has arrived since ${at}.`,
  arrived: 'Your phone has read it.',
  others: 'While others scan the code, their visits are shown here, too: compare time and device.',
  unreadable: 'The visits cannot be read right now.',
  look: 'I have scanned it: look now',
  unmarked: 'On this service, a visit by the code looks like one by a click on the link: all are shown here.',
}

const de: typeof en = {
  link: 'Mit dem Handy ausprobieren',
  title: (name) => `${name}: Code ausprobieren`,
  heading: 'Mit dem Handy ausprobieren',
  lead: 'Das ist Ihr Code, so groß wie auf dem Papier. Scannen Sie ihn hier, bevor Sie ihn drucken.',
  onPhone:
    'Ein Handy kann nicht seinen eigenen Bildschirm scannen: Öffnen Sie diese Seite am Computer, oder nehmen Sie ein zweites Handy.',
  back: 'Zurück zum Link',
  suspended: 'Dieser Link ist gesperrt, deshalb führt sein Code zu nichts, was man ausprobieren könnte.',
  paused:
    'Der Link ist pausiert: Besuche werden weder beantwortet noch gezählt. Setzen Sie ihn fort, bevor Sie den Code ausprobieren.',
  size: 'Breite auf dem Papier',
  own: 'Andere Breite in mm',
  show: 'Zeigen',
  place: 'Ort des Codes',
  noPlace: 'Ohne Ort',
  check: {
    heading: 'Wenn nichts ankommt',
    tap: 'Tippen Sie auf die Adresse, die die Kamera zeigt. Sie nur zu sehen, ist noch kein Besuch.',
    light: 'Stellen Sie den Bildschirm hell, vermeiden Sie Spiegelungen, und halten Sie das Handy kurz still.',
    distance: 'Gehen Sie näher heran, dann weiter weg. Wenn das hilft, drucken Sie den Code breiter.',
    reach: (origin) =>
      `Das Handy muss ${origin} erreichen. Ein Handy außerhalb Ihres Netzes zeigt, ob das auch andere können.`,
    rules: 'Eine Regel kann woandershin führen. Der Besuch zählt trotzdem.',
    password: 'Der Link fragt nach einem Passwort. Der Besuch zählt, wenn es eingegeben ist.',
    hand: 'Öffnen Sie den Kurzlink am Handy von Hand. Das erscheint hier nicht, zeigt aber, ob er dorthin führt, wohin er soll.',
  },
  steps: {
    heading: 'Scannen Sie ihn',
    camera: 'Öffnen Sie die Kamera Ihres Handys, und richten Sie sie auf den Code.',
    tap: 'Tippen Sie auf die Adresse, die die Kamera zeigt: Erst das ist ein Besuch.',
    look: 'Nach wenigen Sekunden steht hier, dass er angekommen ist.',
    lookByHand: 'Drücken Sie dann hier auf den Knopf, der nachsieht, ob er angekommen ist.',
  },
  real: 'Ein Versuch ist ein echter Besuch, und die Statistik zählt ihn mit.',
  waiting: 'Wartet auf Ihr Handy …',
  late: 'Bisher ist nichts angekommen. Was hilft, steht darunter.',
  none: (at) => `Seit ${at} ist nichts angekommen.`,
  arrived: 'Ihr Handy hat ihn gelesen.',
  others: 'Wenn gerade jemand anderes den Code scannt, steht auch dieser Besuch hier: Vergleichen Sie Zeit und Gerät.',
  unreadable: 'Die Besuche lassen sich gerade nicht lesen.',
  look: 'Gescannt: jetzt nachsehen',
  unmarked: 'In diesem Dienst sieht ein Besuch über den Code aus wie ein Klick auf den Link: Hier stehen alle.',
}

/** The page on which an owner scans a code before it is printed. */
export const tryTexts: ByLanguage<typeof en> = { en, de }

const enSizes = {
  distance: 'Phones read it from about {distance} away, ten times its width.',
  fits: 'Print this code at least {smallest} mm wide.',
  small:
    'That is small for this code: print it at least {smallest} mm wide, so that phones read it in poor light, too.',
  tooSmall:
    'Too small to print: its dots would be {module} mm wide, and phones need 0.4 mm. Print it at least {smallest} mm wide.',
  unknown: 'The check of this code is busy, so that its smallest width is not known now. Reload the page in a moment.',
  millimetres: '{width} mm',
  asScreenSays: 'As large as your screen says, which is often not right.',
  compare: 'Compare it with a bank card',
  compared: 'In real millimetres, as you have compared this screen with a card.',
  wide: 'This window is too narrow for the code: move it sideways, or use a larger screen.',
  how: 'Hold a bank card to the screen, and move the slider until the drawn card is as large. All bank cards measure 85.60 × 53.98 mm; without one, a ruler shows 85.6 mm for the long side.',
  card: 'Bank card',
  slider: 'Size of the drawn card',
  percent: '{percent} %',
  fitsNow: 'It is as large',
  forget: 'Forget this',
  kept: 'This browser remembers it for this screen. On another one, compare again.',
  notKept: 'This browser does not let the page remember it.',
}

const deSizes: typeof enSizes = {
  distance: 'Handys lesen ihn aus etwa {distance} Entfernung, dem Zehnfachen seiner Breite.',
  fits: 'Drucken Sie diesen Code mindestens {smallest} mm breit.',
  small:
    'Das ist klein für diesen Code: Drucken Sie ihn mindestens {smallest} mm breit, damit er sich auch bei schlechtem Licht scannen lässt.',
  tooSmall:
    'Zu klein für den Druck: Seine Punkte wären {module} mm breit, und Handys brauchen 0,4 mm. Drucken Sie ihn mindestens {smallest} mm breit.',
  unknown:
    'Die Prüfung dieses Codes ist ausgelastet, deshalb ist seine kleinste Breite gerade nicht bekannt. Laden Sie die Seite gleich noch einmal.',
  millimetres: '{width} mm',
  asScreenSays: 'So groß, wie Ihr Bildschirm angibt, was oft nicht stimmt.',
  compare: 'Mit einer Bankkarte vergleichen',
  compared: 'In echten Millimetern, weil Sie diesen Bildschirm mit einer Karte verglichen haben.',
  wide: 'Dieses Fenster ist zu schmal für den Code: Verschieben Sie ihn seitlich, oder nehmen Sie einen größeren Bildschirm.',
  how: 'Halten Sie eine Bankkarte an den Bildschirm, und bewegen Sie den Regler, bis die gezeichnete Karte genauso groß ist. Alle Bankkarten messen 85,60 × 53,98 mm; ohne Karte zeigt ein Lineal 85,6 mm für die lange Seite.',
  card: 'Bankkarte',
  slider: 'Größe der gezeichneten Karte',
  percent: '{percent} %',
  fitsNow: 'Sie ist genauso groß',
  forget: 'Vergessen',
  kept: 'Dieser Browser merkt sich das für diesen Bildschirm. Vergleichen Sie an einem anderen noch einmal.',
  notKept: 'Dieser Browser lässt nicht zu, dass die Seite sich das merkt.',
}

/** What that page says of sizes, with places that it fills in the browser, too. */
export const sizeTexts: ByLanguage<typeof enSizes> = { en: enSizes, de: deSizes }
export type SizeTexts = typeof enSizes
