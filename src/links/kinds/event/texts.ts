const en = {
  name: 'Event',
  labels: {
    summary: 'Name of the event',
    start: 'Start',
    end: 'End',
    timezone: 'Time zone',
    location: 'Place',
    description: 'Description',
    url: 'Website',
    start_date: 'Starts on',
    start_time: 'Starts at',
    end_date: 'Ends on',
    end_time: 'Ends at',
  },
  hints: {
    start_time: 'leave empty for a whole day',
    end_date: 'the last day; leave empty for the same day',
    end_time: 'leave empty for a whole day or no end',
    timezone: 'of these times, for example Europe/London; empty means UTC',
    url: 'where people learn more',
  },
  faults: {
    summary: { required: 'Please give the event a name.' },
    start: {
      required: 'Please choose the day on which the event starts.',
      pattern: 'Please choose a day, and a time if it is not the whole day, of the years 1900 to 2999.',
    },
    end: {
      pattern: 'Please give the end a time if the start has one, and none if the event lasts whole days.',
      before_start: 'The event must end after it starts.',
    },
  },
  preview: { summary: 'Your event', save: 'Add to calendar', visit: 'Website' },
  leadsTo: (summary: string, when: string) => `The event “${summary}”: ${when}`,
  page: {
    about: (summary: string, when: string, location: string) => [summary, when, location].filter(Boolean).join(' · '),
    save: 'Add to calendar',
    inApp: (app: string) => `${app} cannot add to calendars.`,
    leaveApp: 'Tap ⋯ at the edge of the screen, choose “Open in browser”, and add the event there.',
  },
}

const de: typeof en = {
  name: 'Termin',
  labels: {
    summary: 'Name des Termins',
    start: 'Beginn',
    end: 'Ende',
    timezone: 'Zeitzone',
    location: 'Ort',
    description: 'Beschreibung',
    url: 'Website',
    start_date: 'Beginnt am',
    start_time: 'Beginnt um',
    end_date: 'Endet am',
    end_time: 'Endet um',
  },
  hints: {
    start_time: 'leer lassen für einen ganzen Tag',
    end_date: 'der letzte Tag; leer lassen für denselben Tag',
    end_time: 'leer lassen für ganze Tage oder kein Ende',
    timezone: 'dieser Uhrzeiten; leer bedeutet Europe/Berlin',
    url: 'wo man mehr erfährt',
  },
  faults: {
    summary: { required: 'Bitte geben Sie dem Termin einen Namen.' },
    start: {
      required: 'Bitte wählen Sie den Tag, an dem der Termin beginnt.',
      pattern:
        'Bitte wählen Sie einen Tag und, wenn es nicht der ganze ist, eine Uhrzeit, in den Jahren 1900 bis 2999.',
    },
    end: {
      pattern:
        'Bitte geben Sie beim Ende eine Uhrzeit an, wenn der Beginn eine hat, und keine, wenn der Termin ganze Tage dauert.',
      before_start: 'Der Termin muss enden, nachdem er begonnen hat.',
    },
  },
  preview: { summary: 'Ihr Termin', save: 'Zum Kalender hinzufügen', visit: 'Website' },
  leadsTo: (summary, when) => `Termin „${summary}“: ${when}`,
  page: {
    about: en.page.about,
    save: 'Zum Kalender hinzufügen',
    inApp: (app) => `${app} kann nichts in Kalender eintragen.`,
    leaveApp:
      'Tippen Sie am Bildschirmrand auf ⋯, wählen Sie „Im Browser öffnen“, und fügen Sie den Termin dort hinzu.',
  },
}

export const texts = { en, de }
