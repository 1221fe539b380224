// Loads the live preview of designs when its form comes into sight: most who open the page of a link do not design.
const form = document.querySelector<HTMLFormElement>('form.design[data-script]')
if (form !== null) {
  const load = () => {
    observer.disconnect()
    void import(form.dataset['script'] ?? '')
  }
  const observer = new IntersectionObserver(
    (entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) load()
    },
    { rootMargin: '300px' },
  )
  observer.observe(form)
}
