/** Loads the live preview of designs when its form comes into sight: most who open the page of a link do not design. */
export function loadDesigner(): void {
  const form = document.querySelector<HTMLFormElement>('form.design[data-script]')
  if (form === null) return
  let loading: Promise<unknown> | undefined
  const load = () => (loading ??= import(form.dataset['script'] ?? ''))
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      observer.disconnect()
      void load()
    },
    { rootMargin: '300px' },
  )
  observer.observe(form)
  /** A look is shown by the preview; its button saves it only where scripts do not run. */
  const waitForPreview = (event: MouseEvent) => {
    const look = event.target instanceof Element && event.target.closest<HTMLElement>('[data-look]')
    if (!look) return
    event.preventDefault()
    event.stopImmediatePropagation()
    // A preview that cannot be loaded is told (`failure.ts`), and the button saves the look.
    void load().finally(() => {
      form.removeEventListener('click', waitForPreview)
      look.click()
    })
  }
  form.addEventListener('click', waitForPreview)
}
