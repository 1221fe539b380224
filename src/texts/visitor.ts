import type { ByLanguage } from './language.ts'

const en = {
  report: 'Report this link',
  links: 'Links',
  notYet: 'The link has not started yet',
  preview: {
    title: (code: string) => `Where ${code} leads`,
    leadsTo: 'This link leads to',
    platforms: { ios: 'On iPhone and iPad', android: 'On Android', other: 'Everywhere else' },
    opens: 'This link opens a page on this service.',
    linksTo: 'That page links to',
    rules: 'Its owner has set rules: for some visits it may lead elsewhere, or have ended.',
    rulesLeadTo: 'The rules lead to',
    locked: 'This link is protected by a password: only those who know it can see where it leads.',
    go: 'Go there',
    unlock: 'Enter the password',
    warned: 'The operator of this service warns of this link: you will see that before you continue.',
    states: { active: 'active', locked: 'password', rules: 'rules', warned: 'warning' },
  },
  warning: {
    title: 'Be careful with this link',
    lead: 'The operator of this service warns of this link.',
    leadsTo: 'It leads to',
    opens: 'It opens a page that a stranger has written.',
    advice:
      'Continue only if you know who gave you the link and expect this. Do not enter a password or payment details there, and install nothing.',
    go: 'Continue anyway',
    show: 'Show the page anyway',
  },
}

const de: typeof en = {
  report: 'Diesen Link melden',
  links: 'Links',
  notYet: 'Der Link gilt noch nicht',
  preview: {
    title: (code) => `Wohin ${code} führt`,
    leadsTo: 'Dieser Link führt zu',
    platforms: { ios: 'Auf iPhone und iPad', android: 'Auf Android', other: 'Überall sonst' },
    opens: 'Dieser Link öffnet eine Seite auf diesem Dienst.',
    linksTo: 'Diese Seite verweist auf',
    rules: 'Für diesen Link gelten Regeln: Manche Besuche führen woandershin, oder der Link ist für sie abgelaufen.',
    rulesLeadTo: 'Die Regeln führen zu',
    locked: 'Dieser Link ist durch ein Passwort geschützt: Nur wer es kennt, sieht, wohin er führt.',
    go: 'Dorthin gehen',
    unlock: 'Passwort eingeben',
    warned: 'Der Betreiber dieses Dienstes warnt vor diesem Link: Das sehen Sie, bevor es weitergeht.',
    states: { active: 'aktiv', locked: 'Passwort', rules: 'Regeln', warned: 'Warnung' },
  },
  warning: {
    title: 'Vorsicht bei diesem Link',
    lead: 'Der Betreiber dieses Dienstes warnt vor diesem Link.',
    leadsTo: 'Er führt zu',
    opens: 'Er öffnet eine Seite, die eine fremde Person geschrieben hat.',
    advice:
      'Gehen Sie nur weiter, wenn Sie wissen, von wem der Link kommt, und ihn erwartet haben. Geben Sie dort kein Passwort und keine Zahlungsdaten ein, und installieren Sie nichts.',
    go: 'Trotzdem weiter',
    show: 'Seite trotzdem zeigen',
  },
}

/** The pages that visitors of a short link see. */
export const visitorTexts: ByLanguage<typeof en> = { en, de }
