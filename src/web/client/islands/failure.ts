// Tells a person that a script of the page failed: that it could not be loaded, threw, or rejected a promise that nothing
// handles. It comes before the others (`scriptsOf` in src/web/assets.ts).

const message = document.querySelector<HTMLElement>('#script-failure')
if (message !== null) start(message)

function start(message: HTMLElement): void {
  const tell = () => (message.hidden = false)
  // Scripts that could not be loaded only tell those who capture.
  addEventListener('error', (event) => isOfPage(event) && tell(), { capture: true })
  addEventListener('unhandledrejection', ({ reason }) => {
    if (!isOfExtension(reason)) tell()
  })
  message.addEventListener('click', ({ target }) => {
    const button = target instanceof Element && target.closest('button')
    if (!button) return
    // Not a link: what a form was answered with is sent again, when the person agrees.
    if ('reload' in button.dataset) location.reload()
    else message.hidden = true
  })
}

/** Every script of a page is one of the assets; extensions of the browser throw in pages, too. */
function isOfPage({ target, filename }: ErrorEvent): boolean {
  const address = target instanceof HTMLScriptElement ? target.src : filename
  return address?.startsWith(`${location.origin}/assets/`) ?? false
}

function isOfExtension(reason: unknown): boolean {
  return reason instanceof Error && /-extension:/.test(reason.stack ?? '')
}
