import { checkCode } from '../code-check.ts'
import { markCreation, takeCreation } from '../creation-mark.ts'
import { enhanceKinds } from '../home-kinds.ts'
import type { HomeTexts } from '../home-texts.ts'
import { drawPhone } from '../phone.ts'
import { createPoster } from '../poster.ts'
import { rememberAccess } from '../remember-access.ts'
import { fileHost } from '../../../lib/file-host.ts'
import { fillText } from '../../../lib/fill-text.ts'
import { withScheme } from '../../../lib/with-scheme.ts'
import { element } from '../element.ts'
import { trimInvisible } from '../../../lib/invisible.ts'
import { destination } from '../../../links/utm.ts'

// The start page works without this script: it draws what the link will look like, and keeps what was typed.

const main = document.querySelector<HTMLElement>('main.home')
const form = main?.querySelector('form')
const side = main?.querySelector<HTMLElement>('.home-side')

if (main && form && side) start(main, form, side)
// The form that was sent was refused: what this tab is led to next is no link that it created.
takeCreation()
rememberAccess()

function start({ dataset }: HTMLElement, form: HTMLFormElement, side: HTMLElement): void {
  const { address = '', codeText = '', texts: json = '{}' } = dataset
  const texts = JSON.parse(json) as HomeTexts
  const drawPoster = createPoster(side, { address, codeText, texts })
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

/** Returns a function that remarks below the field of the destination that its host is the name of a file. */
function createFileRemark(form: HTMLFormElement, text: string): () => void {
  const remark = element('p', 'hint home-file')
  remark.role = 'status'
  return () => {
    const field = form.querySelector<HTMLInputElement>('.home-kind [name=target]')
    const host = field === null ? undefined : fileHost(withScheme(field.value))
    if (field === null) return remark.remove()
    const said = host === undefined ? '' : fillText(text, { host })
    if (remark.textContent !== said) remark.textContent = said
    if (remark.previousElementSibling !== field) field.after(remark)
  }
}

/** Returns a function that shows below the UTM parameters the address at which visitors arrive. */
function createFinalAddress(form: HTMLFormElement, text: string): (values: URLSearchParams) => void {
  const output = element('output', 'home-final')
  return (values) => {
    const section = form.querySelector('.home-utm')
    const address = ['target', 'fallback', 'ios', 'android'].map((name) => valueOf(values, name)).find(Boolean) ?? ''
    const url = trimInvisible(withScheme(address)).text
    const pairs = [...values.entries()].filter(([name, value]) => name.startsWith('utm_') && value.trim() !== '')
    if (section === null || pairs.length === 0 || !URL.canParse(url)) return output.remove()
    const utm = Object.fromEntries(pairs.map(([name, value]) => [name, value.trim()]))
    output.replaceChildren(`${text} `, element('strong', '', destination(url, utm)))
    if (!output.isConnected) section.append(output)
  }
}

function valueOf(values: URLSearchParams, name: string): string {
  return values.get(name)?.trim() ?? ''
}
