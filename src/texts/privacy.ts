import type { ByLanguage } from './language.ts'

const en = {
  title: 'Privacy',
  description: 'What this service stores when you open a short link, and what it never stores.',
  lead: 'You opened a short link or scanned a QR code? This is what the service keeps of it. Your address is never written anywhere.',
  stored: 'Stored of a visit',
  storedItems: [
    'the time, and whether it was a scan of the QR code or a click on the link',
    'the kind of device, the system and the browser, as names out of a short list',
    'the country and the city in which your network is registered or used',
    'the name of the site that you came from, without its path',
    'whether it was the first visit of the day',
  ],
  never: 'Never stored',
  neverItems: [
    'your IP address',
    'your browser’s full identification (user agent)',
    'cookies or anything else on your device',
    'who you are: no visit can be connected with another one on another day or of another link',
  ],
  unique: 'How visitors are counted',
  uniqueText:
    'To count a person once a day, the service keeps a short fingerprint of address and browser, mixed with a random number. Both are destroyed when the day (UTC) is over; after that nobody can tell whether you were among the visitors.',
  objection: 'If you do not want this',
  objectionText:
    'Browsers that send “Global Privacy Control” or “Do Not Track” are counted without a fingerprint, a city or the site they came from.',
  owners: 'If you create links',
  ownersText:
    'The service needs no account and stores what you enter, the statistics of your links, and nothing about you. Deleting a link deletes all of it, except that its code is never given to anyone again. Your browser keeps the private address of a link that you create here on your device, unless you choose otherwise after the creation; the service gets it only when you use it. The places of visitors, the limits of fair use and the counts are computed in memory from the address and forgotten.',
  contact: 'Questions?',
}

const de: typeof en = {
  title: 'Datenschutz',
  description: 'Was dieser Dienst speichert, wenn Sie einen Kurzlink öffnen, und was er nie speichert.',
  lead: 'Sie haben einen Kurzlink geöffnet oder einen QR-Code gescannt? Das behält der Dienst davon. Ihre Adresse wird nirgends gespeichert.',
  stored: 'Von einem Besuch gespeichert',
  storedItems: [
    'die Zeit, und ob der QR-Code gescannt oder der Link angeklickt wurde',
    'die Art des Geräts, das System und der Browser, als Namen aus einer kurzen Liste',
    'das Land und die Stadt, in denen Ihr Netz registriert ist oder genutzt wird',
    'der Name der Website, von der Sie kamen, ohne den Pfad',
    'ob es der erste Besuch des Tages war',
  ],
  never: 'Nie gespeichert',
  neverItems: [
    'Ihre IP-Adresse',
    'die vollständige Kennung Ihres Browsers (User-Agent)',
    'Cookies oder anderes auf Ihrem Gerät',
    'wer Sie sind: Kein Besuch lässt sich mit einem anderen an einem anderen Tag oder eines anderen Links verbinden',
  ],
  unique: 'Wie Besucher gezählt werden',
  uniqueText:
    'Um eine Person einmal am Tag zu zählen, behält der Dienst einen kurzen Fingerabdruck aus Adresse und Browser, vermischt mit einer Zufallszahl. Beides wird vernichtet, wenn der Tag (UTC) vorbei ist; danach kann niemand mehr feststellen, ob Sie unter den Besuchern waren.',
  objection: 'Wenn Sie das nicht möchten',
  objectionText:
    'Browser, die „Global Privacy Control“ oder „Do Not Track“ senden, werden ohne Fingerabdruck, Stadt und Herkunftsseite gezählt.',
  owners: 'Wenn Sie Links erstellen',
  ownersText:
    'Der Dienst braucht kein Konto. Er speichert, was Sie eingeben, und die Statistik Ihrer Links, aber nichts über Sie. Wer einen Link löscht, löscht all das; nur wird sein Code nie wieder vergeben. Ihr Browser behält die private Adresse eines Links, den Sie hier erstellen, auf Ihrem Gerät, wenn Sie es nach dem Erstellen nicht anders wählen; der Dienst bekommt sie nur, wenn Sie sie benutzen. Orte der Besucher, Grenzen der fairen Nutzung und Zählungen werden im Arbeitsspeicher aus der Adresse berechnet und vergessen.',
  contact: 'Fragen?',
}

/** The page about privacy, whose long form is docs/privacy.md. */
export const privacyTexts: ByLanguage<typeof en> = { en, de }
