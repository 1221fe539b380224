import { fillText } from '../../../lib/fill-text.ts'
import type { CreatedIslandTexts } from '../../../texts/created.ts'
import { forgetLinks, keepLinks, MAX_KEPT, readKept, writeKept, type KeptLink } from '../../my-links/kept-links.ts'
import { enableCopyButtons } from '../copy.ts'
import { keptStorage } from '../kept-storage.ts'
import { refreshKept } from '../refresh-kept.ts'
import { saveFile } from '../save-file.ts'
import { enableShareButtons } from '../share.ts'

// On the page of an owner: buttons that copy and share, and what saves its key. The page works without it.

cleanAddress()
enableCopyButtons(document)
enableShareButtons(document)
const keep = document.querySelector<HTMLElement>('.created-keep')
if (keep !== null) start(keep)

/** Removes the name of the notice (`?created`), which would return with each reload and bookmark. */
function cleanAddress(): void {
  const address = new URL(location.href)
  const names = [...address.searchParams].filter(([, value]) => value === '').map(([name]) => name)
  if (names.length === 0) return
  for (const name of names) address.searchParams.delete(name)
  history.replaceState(history.state, '', address)
}

function start(keep: HTMLElement): void {
  const texts = JSON.parse(keep.dataset['texts'] ?? '{}') as CreatedIslandTexts
  const link = JSON.parse(keep.dataset['link'] ?? '{}') as KeptLink
  const box = keep.querySelector('input')
  const message = keep.querySelector('[aria-live]')
  if (box === null || message === null) return
  keep.hidden = false
  box.checked = refreshKept(link)
  box.addEventListener('change', () => {
    const outcome = box.checked ? keepKey(link) : forgetKey(link)
    if (outcome === 'failed' || outcome === 'full') box.checked = !box.checked
    message.textContent = texts[outcome]
  })
  enableSaving(link, keep.dataset['origin'] ?? location.origin, texts)
}

function keepKey(link: KeptLink): 'kept' | 'failed' | 'full' {
  const links = keepLinks(readKept(keptStorage), [link])
  if (links.length > MAX_KEPT) return 'full'
  return writeKept(keptStorage, links) ? 'kept' : 'failed'
}

function forgetKey({ token }: KeptLink): 'dropped' | 'failed' {
  return writeKept(keptStorage, forgetLinks(readKept(keptStorage), new Set([token]))) ? 'dropped' : 'failed'
}

function enableSaving({ token, code }: KeptLink, origin: string, texts: CreatedIslandTexts): void {
  const button = document.querySelector<HTMLElement>('[data-save]')
  if (button === null) return
  button.hidden = false
  button.addEventListener('click', () => {
    const text = fillText(texts.file, { short: `${origin}/${code}`, key: `${origin}/m/${token}` })
    saveFile(fillText(texts.fileName, { code }), 'text/plain', text)
  })
}
