const en = {
  name: 'Page of links',
  labels: { headline: 'Heading', description: 'Text', avatar: 'Avatar', accent: 'Colour', links: 'Buttons' },
  hints: { avatar: 'initials or an emoji' },
  faults: { headline: { required: 'Please give the page a heading.' } },
  preview: { headline: 'Your heading' },
  leadsTo: (headline: string, buttons: number) =>
    `Its own page “${headline}” with ${buttons === 1 ? 'one button' : `${buttons} buttons`}`,
}

const de: typeof en = {
  name: 'Linkseite',
  labels: { headline: 'Überschrift', description: 'Text', avatar: 'Avatar', accent: 'Farbe', links: 'Knöpfe' },
  hints: { avatar: 'Initialen oder ein Emoji' },
  faults: { headline: { required: 'Bitte geben Sie der Seite eine Überschrift.' } },
  preview: { headline: 'Ihre Überschrift' },
  leadsTo: (headline, buttons) =>
    `Eigene Seite „${headline}“ mit ${buttons === 1 ? 'einem Knopf' : `${buttons} Knöpfen`}`,
}

export const texts = { en, de }
