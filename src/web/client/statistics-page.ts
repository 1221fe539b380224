/** What the page passes to the island, as data attributes of the section. */
export interface Texts {
  soFar: { one: string; more: string }
  newScans: string
  scans: string
  visitors: string
}

/** Replaces what the section shows by what another address of the page shows. */
export interface SectionLoader {
  /** Resolves with whether it is shown, or why not: because another address was requested meanwhile, or the request failed. */
  load: (address: string) => Promise<'shown' | 'overtaken' | 'failed'>
  /** Loads what is shown again. */
  refresh: () => void
  /** Whether the section shows this window. */
  isShown: (window: string) => boolean
}

/**
 * An address of the page without its fragment, and with a time zone: without one, that of the visitor, which the server does not
 * know.
 */
export function windowOf(address: string): string {
  const { pathname, searchParams: query } = new URL(address, location.href)
  if (!query.has('tz')) query.set('tz', Intl.DateTimeFormat().resolvedOptions().timeZone)
  return `${pathname}?${query.toString()}`
}

/** @param onLoaded called after each replacement */
export function createSectionLoader(section: HTMLElement, onLoaded: () => void): SectionLoader {
  let shown = windowOf(location.href)
  let latest = 0
  let isLoading = false
  let isStale = false

  async function load(address: string): ReturnType<SectionLoader['load']> {
    const mine = ++latest
    isLoading = true
    const fresh = await fetchSection(address)
    if (mine !== latest) return 'overtaken'
    isLoading = false
    if (fresh !== undefined) {
      shown = address
      replaceBody(section, fresh)
      onLoaded()
    }
    if (isStale) refresh()
    return fresh === undefined ? 'failed' : 'shown'
  }

  function refresh(): void {
    // What a person has chosen, and is being loaded, goes first.
    isStale = isLoading
    // A choice that is being made must not disappear.
    if (!isLoading && document.activeElement?.matches('#statistics :is(select, input)') !== true) void load(shown)
  }

  return { load, refresh, isShown: (window) => window === shown }
}

async function fetchSection(address: string): Promise<HTMLElement | undefined> {
  try {
    const response = await fetch(address, { headers: { accept: 'text/html' } })
    if (!response.ok) return undefined
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    return page.querySelector<HTMLElement>('#statistics .stats-body') ?? undefined
  } catch {
    return undefined
  }
}

/** Puts a new body into the section; what was unfolded stays so, and what had the focus keeps it. */
function replaceBody(section: HTMLElement, fresh: HTMLElement): void {
  const body = section.querySelector('.stats-body')
  const focused = document.activeElement
  for (const { className } of body?.querySelectorAll('details[open]') ?? [])
    fresh.querySelector(`details.${className}`)?.setAttribute('open', '')
  body?.replaceWith(document.adoptNode(fresh))
  if (document.activeElement === document.body) counterpartOf(section, focused)?.focus({ preventScroll: true })
}

/** What an element has become. Of the links that lead to the same address, it is the one of the same text. */
function counterpartOf(section: HTMLElement, element: Element | null): HTMLElement | SVGElement | undefined {
  const selector = selectorOf(element)
  const found = selector === undefined ? [] : [...section.querySelectorAll<HTMLElement | SVGElement>(selector)]
  return found.find(({ textContent }) => textContent === element?.textContent) ?? found[0]
}

function selectorOf(element: Element | null): string | undefined {
  const href = element?.getAttribute('href')
  if (href) return `a[href="${CSS.escape(href)}"]`
  if (element?.matches('.plot')) return '.plot'
  if (element?.matches('summary')) return `.${element.parentElement?.className} > summary`
  return undefined
}
