const en = {
  name: 'Contact',
  labels: {
    firstName: 'First name',
    lastName: 'Last name',
    org: 'Company',
    jobTitle: 'Position',
    phone: 'Phone',
    email: 'E-mail',
    website: 'Website',
  },
  hints: {},
  faults: { firstName: { required: 'Please enter a first name, a last name or a company.' } },
  preview: { name: 'Your name', save: 'Save to contacts' },
  leadsTo: (name: string) => `The contact details of ${name}`,
  page: {
    contact: (name: string) => `Contact details of ${name}`,
    save: 'Save contact',
    call: 'Call',
    write: 'E-mail',
    visit: 'Website',
    inApp: (app: string) => `${app} cannot save contacts.`,
    leaveApp: 'Tap ⋯ at the edge of the screen, choose “Open in browser”, and save the contact there.',
  },
}

const de: typeof en = {
  name: 'Kontakt',
  labels: {
    firstName: 'Vorname',
    lastName: 'Nachname',
    org: 'Firma',
    jobTitle: 'Position',
    phone: 'Telefon',
    email: 'E-Mail',
    website: 'Website',
  },
  hints: {},
  faults: { firstName: { required: 'Bitte geben Sie einen Vornamen, einen Nachnamen oder eine Firma ein.' } },
  preview: { name: 'Ihr Name', save: 'In Kontakten speichern' },
  leadsTo: (name) => `Kontaktdaten von ${name}`,
  page: {
    contact: (name) => `Kontaktdaten von ${name}`,
    save: 'Kontakt speichern',
    call: 'Anrufen',
    write: 'E-Mail',
    visit: 'Website',
    inApp: (app) => `${app} kann keine Kontakte speichern.`,
    leaveApp: 'Tippen Sie am Bildschirmrand auf ⋯, wählen Sie „Im Browser öffnen“, und speichern Sie den Kontakt dort.',
  },
}

export const texts = { en, de }
