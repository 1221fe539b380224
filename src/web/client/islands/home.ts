import { checkCode } from '../code-check.ts'
import { markCreation } from '../creation-mark.ts'
import { createFileRemark } from '../file-remark.ts'
import { createFinalAddress } from '../final-address.ts'
import { enhanceKinds } from '../home-kinds.ts'
import type { HomeTexts } from '../home-texts.ts'
import { drawPhone } from '../phone.ts'
import { createPoster } from '../poster.ts'
import { rememberAccess } from '../remember-access.ts'

// The start page works without this script: it draws what the link will look like, and keeps what was typed.

const main = document.querySelector<HTMLElement>('main.home')
const form = main?.querySelector('form')
const side = main?.querySelector<HTMLElement>('.home-side')
if (main && form && side) start(main, form, side)
rememberAccess()

function start({ dataset }: HTMLElement, form: HTMLFormElement, side: HTMLElement): void {
  const { origin = '', codeText = '', texts: json = '{}' } = dataset
  const texts = JSON.parse(json) as HomeTexts
  const drawPoster = createPoster(side, { origin, codeText, texts })
  const showFinal = createFinalAddress(form, texts.final)
  const remarkFile = createFileRemark(form, texts.file)
  let frame = 0
  const draw = () => {
    // The form has no files.
    const values = new URLSearchParams([...new FormData(form)] as [string, string][])
    drawPoster(values)
    showFinal(values)
    remarkFile()
    void drawPhone(side, values.get('kind') ?? '', values, texts)
  }
  const schedule = () => {
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(draw)
  }
  enhanceKinds(form, schedule)
  proposeZone(form)
  const alias = form.querySelector<HTMLInputElement>('[name=alias]')
  if (alias !== null) checkCode(alias, texts)
  form.addEventListener('input', schedule)
  form.addEventListener('submit', markCreation)
  // Browsers restore what was typed after a reload and after "back".
  addEventListener('pageshow', schedule)
}

/** Fills in the browser's time zone, once a day is chosen; where there are times, a whole day needs none. */
function proposeZone(form: HTMLFormElement): void {
  form.addEventListener('input', ({ target }) => {
    const within = target instanceof HTMLInputElement ? target.closest('.home-kind, .home-period') : null
    const zone = within?.querySelector<HTMLInputElement>('[data-zone]')
    const deciding = within?.querySelector('[type=time]') ? 'time' : 'date'
    if (zone && (target as HTMLInputElement).type === deciding)
      zone.value ||= new Intl.DateTimeFormat().resolvedOptions().timeZone
  })
}
