import type { ByLanguage } from './language.ts'

const en = {
  heading: 'Statistics',
  unavailable:
    'The statistics cannot be shown at the moment. Visits are still counted. Load this page again in a minute.',
  noTotals: 'All visits so far cannot be counted at the moment.',
  reload: 'Load again',
  /** After the number of all visits. */
  soFar: (scans: number): string => (scans === 1 ? 'visit so far, including bots' : 'visits so far, including bots'),
  live: 'live',
  newScans: 'New visits:',
  period: 'Period',
  views: { label: 'View', overview: 'Overview', detail: 'In detail' },
  presets: {
    label: 'Months and years',
    month: 'This month',
    lastMonth: 'Last month',
    year: 'This year',
    lastYear: 'Last year',
  },
  range: { from: 'From', to: 'To', show: 'Show' },
  intervals: { label: 'By', hour: 'Hours', day: 'Days', week: 'Weeks', month: 'Months' },
  comparisons: { label: 'Compared with', previous: 'The time before', year: 'A year before' },
  cut: 'another period was asked for: at most 366 days are shown, until today at the latest',
  today: 'Today',
  /** After a number of days. */
  days: 'days',
  visitors: 'Visitors',
  audiences: { human: 'People', all: 'With bots', bot: 'Bots' },
  figures: {
    humans: 'Visits by people',
    unique: 'Unique visitors',
    qr: 'From the QR code',
    bots: 'Bots',
  },
  hints: {
    humans: 'each time that a person opens the link',
    unique: 'each person counts once a day',
    qr: 'printed or shown on a screen',
    bots: 'counted apart: previews and crawlers',
  },
  before: 'than before',
  none: 'new',
  beforeYear: 'than a year before',
  /** Before the number of the earlier window. */
  was: { previous: 'before:', year: 'a year before:' },
  compared: (from: string, until: string) =>
    until === '' ? `changes compared with ${from}` : `changes compared with ${from} – ${until}`,
  comparedDay: (time: string) => `changes compared with yesterday until ${time}`,
  late: 'the latest visits may be missing; they appear shortly',
  /** Visits whose download has no row. */
  onlyCounted: (visits: string, isOne: boolean): string =>
    isOne ? '1 visit is counted and not in the download' : `${visits} visits are counted and not in the download`,
  chart: { hour: 'Visits by hour', day: 'Visits by day', week: 'Visits by week', month: 'Visits by month' },
  legend: {
    scans: 'Visits',
    visitors: 'Unique visitors',
    weekend: 'Weekend',
    now: { hour: 'Now', day: 'Today', week: 'This week', month: 'This month' },
  },
  /** After the number of the largest column. */
  at: {
    hour: (name: string) => `at ${name}`,
    day: (name: string) => `on ${name}`,
    week: (name: string) => `in the ${name}`,
    month: (name: string) => `in ${name}`,
  },
  most: (most: string, at: string) => `Highest: ${most} ${at}. The table below has every value.`,
  week: (day: string) => `week from ${day}`,
  table: {
    summary: 'Show as a table',
    hour: 'Hour',
    day: 'Day',
    week: 'Week',
    month: 'Month',
    scans: 'Visits',
    visitors: 'Unique visitors',
  },
  heat: { heading: 'Hours of the week', hour: 'Hour' },
  map: {
    heading: 'Map of countries',
    most: (country: string, visits: string) => `Most: ${country}, ${visits}. The table of countries has every number.`,
  },
  zone: 'Time zone',
  daysIn: (from: string, to: string, zone: string) => `${from} – ${to} · days in ${zone}`,
  hoursIn: (from: string, to: string, zone: string) => `${from} – ${to} · hours in ${zone}`,
  dayIn: (day: string, zone: string) => `${day} · hours in ${zone}`,
  change: 'Change',
  cities: 'Cities in the statistics:',
  csv: 'Download every visit (CSV)',
  bundle: 'Download the link with everything (ZIP)',
  print: 'Print',
  nothing: {
    human: 'No visits by people in this period.',
    all: 'No visits in this period.',
    bot: 'No bots in this period.',
  },
  longer: 'A longer period may have some.',
  empty: {
    heading: 'Print it, then scan it',
    text: 'Nobody has visited this link yet. The first visit appears here within a second.',
    steps: [
      'Download the code and print it: at least 2 cm wide, with its white border.',
      'Scan the print with your phone, as a customer would.',
      'Put it up where people can reach it.',
    ],
    download: 'Download to print (PDF)',
    image: 'Image (PNG)',
    code: 'The code to print',
  },
  code: (url: string) => `QR code of ${url}`,
  shared: {
    title: (name: string) => `${name}: statistics`,
    leadsTo: 'Leads to',
    paused:
      'The link is paused: visitors see a page that says that nothing is here at the moment, and are not counted.',
    removed: 'The link is blocked for abuse. Visits are not counted any more.',
  },
}

const de: typeof en = {
  heading: 'Statistik',
  unavailable:
    'Die Statistik kann gerade nicht angezeigt werden. Besuche werden weiterhin gezählt. Laden Sie diese Seite in einer Minute neu.',
  noTotals: 'Alle bisherigen Besuche lassen sich im Moment nicht zählen.',
  reload: 'Neu laden',
  soFar: (scans) => (scans === 1 ? 'Besuch bisher, mit Bots' : 'Besuche bisher, mit Bots'),
  live: 'live',
  newScans: 'Neue Besuche:',
  period: 'Zeitraum',
  views: { label: 'Ansicht', overview: 'Überblick', detail: 'Genauer' },
  presets: {
    label: 'Monate und Jahre',
    month: 'Dieser Monat',
    lastMonth: 'Letzter Monat',
    year: 'Dieses Jahr',
    lastYear: 'Letztes Jahr',
  },
  range: { from: 'Von', to: 'Bis', show: 'Zeigen' },
  intervals: { label: 'Nach', hour: 'Stunden', day: 'Tagen', week: 'Wochen', month: 'Monaten' },
  comparisons: { label: 'Verglichen mit', previous: 'Der Zeit davor', year: 'Dem Jahr davor' },
  cut: 'gefragt war ein anderer Zeitraum: gezeigt werden höchstens 366 Tage, spätestens bis heute',
  today: 'Heute',
  days: 'Tage',
  visitors: 'Besucher',
  audiences: { human: 'Menschen', all: 'Mit Bots', bot: 'Bots' },
  figures: {
    humans: 'Besuche von Menschen',
    unique: 'Verschiedene Besucher',
    qr: 'Über den QR-Code',
    bots: 'Bots',
  },
  hints: {
    humans: 'jedes Mal, wenn ein Mensch den Link öffnet',
    unique: 'jede Person zählt einmal am Tag',
    qr: 'gedruckt oder am Bildschirm',
    bots: 'getrennt gezählt: Vorschauen und Suchmaschinen',
  },
  before: 'als zuvor',
  none: 'neu',
  beforeYear: 'als ein Jahr zuvor',
  was: { previous: 'zuvor:', year: 'ein Jahr zuvor:' },
  compared: (from, until) =>
    until === '' ? `Veränderung gegenüber ${from}` : `Veränderung gegenüber ${from} – ${until}`,
  comparedDay: (time) => `Veränderung gegenüber gestern bis ${time}`,
  late: 'die letzten Besuche fehlen vielleicht noch; sie erscheinen in Kürze',
  onlyCounted: (visits, isOne) =>
    isOne
      ? '1 Besuch ist nur gezählt und nicht im Download'
      : `${visits} Besuche sind nur gezählt und nicht im Download`,
  chart: {
    hour: 'Besuche nach Stunden',
    day: 'Besuche nach Tagen',
    week: 'Besuche nach Wochen',
    month: 'Besuche nach Monaten',
  },
  legend: {
    scans: 'Besuche',
    visitors: 'Verschiedene Besucher',
    weekend: 'Wochenende',
    now: { hour: 'Jetzt', day: 'Heute', week: 'Diese Woche', month: 'Dieser Monat' },
  },
  at: {
    hour: (name) => `um ${name}`,
    day: (name) => `am ${name}`,
    week: (name) => `in der ${name}`,
    month: (name) => `im ${name}`,
  },
  most: (most, at) => `Höchster Wert: ${most} ${at}. Die Tabelle darunter enthält jeden Wert.`,
  week: (day) => `Woche ab ${day}`,
  table: {
    summary: 'Als Tabelle zeigen',
    hour: 'Stunde',
    day: 'Tag',
    week: 'Woche',
    month: 'Monat',
    scans: 'Besuche',
    visitors: 'Verschiedene Besucher',
  },
  heat: { heading: 'Stunden der Woche', hour: 'Stunde' },
  map: {
    heading: 'Karte der Länder',
    most: (country, visits) => `Am meisten: ${country}, ${visits}. Die Tabelle der Länder enthält jede Zahl.`,
  },
  zone: 'Zeitzone',
  daysIn: (from, to, zone) => `${from} – ${to} · Tage in ${zone}`,
  hoursIn: (from, to, zone) => `${from} – ${to} · Stunden in ${zone}`,
  dayIn: (day, zone) => `${day} · Stunden in ${zone}`,
  change: 'Ändern',
  cities: 'Städte in der Statistik:',
  csv: 'Jeden Besuch herunterladen (CSV)',
  bundle: 'Den Link mit allem herunterladen (ZIP)',
  print: 'Drucken',
  nothing: {
    human: 'Keine Besuche von Menschen in diesem Zeitraum.',
    all: 'Keine Besuche in diesem Zeitraum.',
    bot: 'Keine Bots in diesem Zeitraum.',
  },
  longer: 'In einem längeren Zeitraum gibt es vielleicht welche.',
  empty: {
    heading: 'Drucken, dann scannen',
    text: 'Noch hat niemand diesen Link besucht. Der erste Besuch erscheint hier innerhalb einer Sekunde.',
    steps: [
      'Laden Sie den Code herunter und drucken Sie ihn: mindestens 2 cm breit, mit weißem Rand.',
      'Scannen Sie den Ausdruck mit Ihrem Handy wie Ihre Kundschaft.',
      'Hängen Sie ihn dort auf, wo man ihn gut erreicht.',
    ],
    download: 'Zum Drucken herunterladen (PDF)',
    image: 'Bild (PNG)',
    code: 'Der Code zum Drucken',
  },
  code: (url) => `QR-Code von ${url}`,
  shared: {
    title: (name) => `${name}: Statistik`,
    leadsTo: 'Führt zu',
    paused:
      'Der Link ist pausiert: Besucher sehen eine Seite, nach der hier im Moment nichts ist, und werden nicht gezählt.',
    removed: 'Der Link wurde wegen Missbrauchs gesperrt. Besuche werden nicht mehr gezählt.',
  },
}

/** The statistics of a link, on the pages of owners and of shared views. */
export const statisticsTexts: ByLanguage<typeof en> = { en, de }
export type StatisticsTexts = typeof en
