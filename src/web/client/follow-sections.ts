/** Marks the link of the navigation whose section is being read: the last one that begins above the middle of the window. */
export function followSections(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.owner-nav a')]
  const sections = links.map((link) => document.querySelector(link.hash))
  const mark = () => {
    const middle = innerHeight / 2
    const current = sections.findLastIndex(
      (section) => section !== null && section.getBoundingClientRect().top < middle,
    )
    for (const [at, link] of links.entries()) {
      if (at === current) link.setAttribute('aria-current', 'true')
      else link.removeAttribute('aria-current')
    }
    showInRow(links[current])
  }
  // Each crossing of the middle changes the current section.
  const observer = new IntersectionObserver(mark, { rootMargin: '-50% 0px' })
  for (const section of sections) if (section !== null) observer.observe(section)
}

/** On phones the links are a row that scrolls. */
function showInRow(link: HTMLAnchorElement | undefined): void {
  const row = link?.parentElement
  if (link === undefined || !row || row.scrollWidth <= row.clientWidth) return
  row.scrollLeft = link.offsetLeft - (row.clientWidth - link.offsetWidth) / 2
}
