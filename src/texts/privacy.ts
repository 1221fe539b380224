import type { ByLanguage } from './language.ts'

const en = {
  title: 'Privacy',
  description: 'What this service stores when you open a short link, and what it never stores.',
  lead: 'You opened a short link or scanned a QR code? This is what the service keeps of it. quirl, the program that runs it, never stores your IP address.',
  stored: 'Stored of a visit',
  storedItems: [
    'the time, and whether it was a scan of the QR code or a click on the link',
    'which of the printed codes was scanned, if the owner of the link tells several places apart',
    'the kind of device, the system and the browser, as names out of a short list',
    'the country and the city in which your network is registered or used',
    'the name of the website that you came from, without its path',
    'whether it was the first visit of the day',
    'whether it looks like the visit of a person or of a program (bot)',
    'which rule of the link answered, if its owner has set rules',
  ],
  kept: 'How long it is kept',
  keptText: (days: number | undefined) =>
    days === undefined
      ? 'Until the link is deleted.'
      : `Each visit is deleted after ${days === 1 ? 'a day' : `${days.toLocaleString('en')} days`}. Numbers without the visits themselves are kept until the link is deleted: how many visits there were in each quarter of an hour, and how many of each kind of device, system, browser, place and website on each day and in each month.`,
  backups: 'Copies that the operator has made for safety have the data of their time.',
  never: 'Never stored',
  neverItems: [
    'your IP address: a server that the operator has put in front of quirl may log it; the operator can tell',
    'your browser’s full identification (user agent)',
    'cookies or anything else on your device',
    'who you are: no visit can be connected with another one on another day or of another link',
  ],
  unique: 'How visitors are counted',
  uniqueText:
    'To count a person once a day, the service keeps a short fingerprint of address and browser, mixed with a random number. Both are destroyed when the day (UTC) is over and its visits are counted; after that nobody can tell whether you were among the visitors.',
  objection: 'If you do not want this',
  objectionText:
    'Browsers that send “Global Privacy Control” or “Do Not Track” are counted without a fingerprint, a city or the website they came from.',
  owners: 'If you create links',
  ownersText:
    'The service needs no account and stores what you enter, the statistics of your links, and nothing about you. Deleting a link deletes all of it, on its page after a day in which you can bring it back, except that its code is never given to anyone again. Your browser keeps the private address of a link that you create here on your device, unless you choose otherwise after the creation; the service gets it only when you use it. It keeps the access code of a private service only if you tick the box for that.',
  limits: 'Limits of fair use',
  limitsText:
    'So that nobody overloads the service, it counts requests of each address by the hour. For that it keeps a digest of the address, mixed with a random number, never the address itself.',
  limitsWhere: {
    memory: 'The digests are in its memory only, and end with the hour or with the program.',
    redis:
      'This service counts on several servers together: the digests are in a Redis database for at most an hour, and the random number is deleted on a later day.',
  },
  reports: 'If you report a link',
  reportsText:
    'The service keeps your reason and your note. So that one person does not count as many, it keeps a number of 16 bits for 30 days, which is made of your network (not of your address) and a random number of the day. Thousands of connections share it; no one can be found by it.',
  placesText:
    'Places are looked up from the address in memory, where those of the latest 10,000 addresses stay for a while.',
  contact: 'Questions?',
}

const de: typeof en = {
  title: 'Datenschutz',
  description: 'Was dieser Dienst speichert, wenn Sie einen Kurzlink öffnen, und was er nie speichert.',
  lead: 'Sie haben einen Kurzlink geöffnet oder einen QR-Code gescannt? Das behält der Dienst davon. quirl, das Programm, mit dem er läuft, speichert Ihre IP-Adresse nie.',
  stored: 'Von einem Besuch gespeichert',
  storedItems: [
    'die Zeit, und ob der QR-Code gescannt oder der Link angeklickt wurde',
    'welcher der gedruckten Codes gescannt wurde, wenn der Inhaber des Links mehrere Orte unterscheidet',
    'die Art des Geräts, das System und der Browser, als Namen aus einer kurzen Liste',
    'das Land und die Stadt, in denen Ihr Netz registriert ist oder genutzt wird',
    'der Name der Website, von der Sie kamen, ohne den Pfad',
    'ob es der erste Besuch des Tages war',
    'ob es nach dem Besuch eines Menschen oder eines Programms (Bot) aussieht',
    'welche Regel des Links geantwortet hat, wenn für ihn Regeln gelten',
  ],
  kept: 'Wie lange das bleibt',
  keptText: (days) =>
    days === undefined
      ? 'Bis der Link gelöscht wird.'
      : `Jeder Besuch wird nach ${days === 1 ? 'einem Tag' : `${days.toLocaleString('de')} Tagen`} gelöscht. Anzahlen ohne die Besuche selbst bleiben, bis der Link gelöscht wird: wie viele Besuche es in jeder Viertelstunde gab, und wie viele an jedem Tag und in jedem Monat von welcher Art von Gerät, System, Browser, welchem Ort und welcher Website kamen.`,
  backups: 'Sicherungskopien des Betreibers enthalten den Stand ihrer Zeit.',
  never: 'Nie gespeichert',
  neverItems: [
    'Ihre IP-Adresse: Ein Server, den der Betreiber vor quirl geschaltet hat, kann sie protokollieren; darüber gibt der Betreiber Auskunft',
    'die vollständige Kennung Ihres Browsers (User-Agent)',
    'Cookies oder anderes auf Ihrem Gerät',
    'wer Sie sind: Kein Besuch lässt sich mit einem anderen an einem anderen Tag oder eines anderen Links verbinden',
  ],
  unique: 'Wie Besucher gezählt werden',
  uniqueText:
    'Um eine Person einmal am Tag zu zählen, behält der Dienst einen kurzen Fingerabdruck aus Adresse und Browser, vermischt mit einer Zufallszahl. Beides wird vernichtet, wenn der Tag (UTC) vorbei ist und seine Besuche gezählt sind; danach kann niemand mehr feststellen, ob Sie unter den Besuchern waren.',
  objection: 'Wenn Sie das nicht möchten',
  objectionText:
    'Browser, die „Global Privacy Control“ oder „Do Not Track“ senden, werden ohne Fingerabdruck, Stadt und Herkunftsseite gezählt.',
  owners: 'Wenn Sie Links erstellen',
  ownersText:
    'Der Dienst braucht kein Konto. Er speichert, was Sie eingeben, und die Statistik Ihrer Links, aber nichts über Sie. Wer einen Link löscht, löscht all das, auf seiner Seite nach einem Tag, in dem er ihn zurückholen kann; nur wird sein Code nie wieder vergeben. Ihr Browser behält die private Adresse eines Links, den Sie hier erstellen, auf Ihrem Gerät, wenn Sie es nach dem Erstellen nicht anders wählen; der Dienst bekommt sie nur, wenn Sie sie benutzen. Den Zugangscode eines privaten Dienstes behält er nur, wenn Sie das ankreuzen.',
  limits: 'Grenzen der fairen Nutzung',
  limitsText:
    'Damit niemand den Dienst überlastet, zählt er die Anfragen jeder Adresse je Stunde. Dafür behält er eine Prüfsumme der Adresse, vermischt mit einer Zufallszahl, nie die Adresse selbst.',
  limitsWhere: {
    memory: 'Die Prüfsummen stehen nur in seinem Arbeitsspeicher und enden mit der Stunde oder mit dem Programm.',
    redis:
      'Dieser Dienst zählt auf mehreren Servern gemeinsam: Die Prüfsummen stehen höchstens eine Stunde in einer Redis-Datenbank, und die Zufallszahl wird an einem späteren Tag gelöscht.',
  },
  reports: 'Wenn Sie einen Link melden',
  reportsText:
    'Der Dienst behält Ihren Grund und Ihre Notiz. Damit eine Person nicht als viele zählt, behält er 30 Tage lang eine Zahl von 16 Bit, die aus Ihrem Netz (nicht aus Ihrer Adresse) und einer Zufallszahl des Tages entsteht. Tausende Anschlüsse teilen sie sich; niemand ist daran zu erkennen.',
  placesText:
    'Orte werden im Arbeitsspeicher aus der Adresse bestimmt; die der letzten 10.000 Adressen bleiben dort eine Weile.',
  contact: 'Fragen?',
}

/** The page about privacy, whose long form is docs/privacy.md. */
export const privacyTexts: ByLanguage<typeof en> = { en, de }
