// The languages of pages are in `http/page-address.ts`: links of the server have that of their page already.

/** The address of a page of this service, in the language that the address of this page names. */
export function pageAddress(address: string): string {
  const { lang } = document.documentElement
  if (new URLSearchParams(location.search).get('lang') !== lang) return address
  const url = new URL(address, location.href)
  url.searchParams.set('lang', lang)
  return url.href
}

/** Leads the links to the other languages to the address that a script has given the page. */
export function followAddress(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('footer a[hreflang]')) {
    const url = new URL(location.href)
    url.searchParams.set('lang', link.hreflang)
    link.href = url.search
  }
}
