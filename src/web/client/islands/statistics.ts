import { followAddress } from '../page-address.ts'
import { prepareChart } from '../statistics-chart.ts'
import { followScans } from '../statistics-live.ts'
import { createSectionLoader, windowOf, type SectionLoader, type Texts } from '../statistics-page.ts'

// The statistics on the pages of owners and shares. Both work without it.

const section = document.querySelector<HTMLElement>('#statistics')
if (section !== null) start(section)

function start(section: HTMLElement): void {
  const texts = JSON.parse(section.dataset['texts'] ?? '{}') as Texts
  const prepare = () => {
    prepareChart(section, texts)
    preparePrint(section)
  }
  const loader = createSectionLoader(section, prepare)
  prepare()
  loadInOwnZone(section, loader)
  loadOnChoice(section, loader)
  followScans(section, texts, loader.refresh)
}

/** The server has shown another time zone to a visitor who has chosen none. */
function loadInOwnZone(section: HTMLElement, { load }: SectionLoader): void {
  const address = windowOf(location.href)
  if (new URLSearchParams(address.slice(address.indexOf('?'))).get('tz') !== section.dataset['zone']) void load(address)
}

/** Shows another window in place, as a link to it would do with the whole page. */
function loadOnChoice(section: HTMLElement, { load, isShown }: SectionLoader): void {
  section.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('.tabs a') : null
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    void load(windowOf(link.href)).then((outcome) => {
      if (outcome === 'shown') history.pushState(null, '', link.href)
      followAddress()
      if (outcome === 'failed') location.assign(link.href)
    })
  })
  addEventListener('popstate', () => {
    const window = windowOf(location.href)
    followAddress()
    // Links within the page are history, too.
    if (!isShown(window)) void load(window)
  })
}

function preparePrint(section: HTMLElement): void {
  for (const button of section.querySelectorAll<HTMLElement>('[data-print]')) {
    button.hidden = false
    button.addEventListener('click', () => print())
  }
}
