import { prepareChart } from '../statistics-chart.ts'
import { followScans } from '../statistics-live.ts'
import { createSectionLoader, type SectionLoader, type Texts } from '../statistics-page.ts'

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

/** The server does not know the time zone of a visitor who has chosen none. */
function loadInOwnZone(section: HTMLElement, { load }: SectionLoader): void {
  const address = new URL(location.href)
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  if (address.searchParams.has('tz') || zone === section.dataset['zone']) return
  address.searchParams.set('tz', zone)
  void load(windowOf(address))
}

/** The address with the window alone: a page that is loaded for its statistics must say nothing else. */
function windowOf({ pathname, searchParams }: URL): string {
  const names = ['days', 'audience', 'tz'].filter((name) => searchParams.has(name))
  return `${pathname}?${new URLSearchParams(names.map((name) => [name, searchParams.get(name) ?? ''])).toString()}`
}

/** Shows another window in place, as a link to it would do with the whole page. */
function loadOnChoice(section: HTMLElement, { load }: SectionLoader): void {
  section.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('.tabs a') : null
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    void load(link.href).then((isShown) => {
      if (isShown) history.pushState(null, '', link.href)
      else location.assign(link.href)
    })
  })
  addEventListener('popstate', () => void load(location.href))
}

function preparePrint(section: HTMLElement): void {
  for (const button of section.querySelectorAll<HTMLElement>('[data-print]')) {
    button.hidden = false
    button.addEventListener('click', () => print())
  }
}
