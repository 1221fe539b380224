import { fillText } from '../../lib/fill-text.ts'
import type { KeptLink } from '../my-links/kept-links.ts'
import { callApi } from './call-api.ts'
import { createCollection, refusalOf, type CreatedCollection, type Refusal } from './create-collection.ts'
import { element } from './element.ts'
import { keepableCollection } from './keepable.ts'
import { nameOf, type Words } from './my-links-row.ts'
import { pageAddress } from './page-address.ts'
import { randomKey } from './secure-context.ts'

/** As many tokens as a request may have, and the fewest that are tried when the quota has no room for more. */
const CHUNK = 500
const LEAST = 16
/** Names that a message lists. */
const MAX_NAMED = 10

/** What was done, so that another press of the button goes on. */
interface Progress {
  key: string
  collection: CreatedCollection | undefined
  links: KeptLink[]
  /** How many of the links were sent. */
  sent: number
  failed: KeptLink[]
}

/**
 * Has the form of "My links" put all kept links into a new collection, which this browser then keeps as well. The links stay
 * kept as they were.
 */
export function startEveryDevice(form: HTMLFormElement, words: Words, readLinks: () => KeptLink[]): void {
  const [button, status] = [form.querySelector('button'), form.querySelector<HTMLElement>('[role=status]')]
  const code = form.querySelector<HTMLInputElement>('[type=password]')
  if (button === null || status === null) return
  let progress: Progress | undefined
  if (code) code.value ||= document.querySelector<HTMLInputElement>('[name=creation_key]')?.value ?? ''
  const run = async (): Promise<void> => {
    progress ??= { key: randomKey(), collection: undefined, links: readLinks(), sent: 0, failed: [] }
    const say = (text: string) => {
      status.textContent = text
    }
    const refusal = (await create(form, progress)) ?? (await joinAll(progress, words, say))
    if (refusal !== undefined) {
      say(refusalText(refusal, progress, words))
      // What was only interrupted goes on with the next press.
      if (refusal.kind === 'refused') progress = undefined
      return
    }
    finish(progress, words, status)
    progress = undefined
  }
  // Before this script was there, the form would have led to nowhere.
  button.disabled = false
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    button.disabled = true
    void run().finally(() => {
      button.disabled = false
    })
  })
}

/** Creates the collection, unless that is done. */
async function create(form: HTMLFormElement, progress: Progress): Promise<Refusal | undefined> {
  if (progress.collection !== undefined) return undefined
  const values = new FormData(form)
  const valueOf = (name: string) => ((values.get(name) as string | null) ?? '').trim()
  const created = await createCollection(valueOf('name'), progress.key, valueOf('code') || undefined)
  if ('kind' in created) return created
  progress.collection = created
  const { token, name, created_at } = created
  // Before anything else can fail: only this browser has the key.
  keepableCollection({ token, name, created_at }).keep()
  return undefined
}

/** Leads to the page of the collection, once the person has read which links are not in it. */
function finish({ collection, failed }: Progress, words: Words, status: HTMLElement): void {
  const address = pageAddress(`/c/${collection?.token}?created`)
  if (failed.length === 0) return location.assign(address)
  const open = element('a', 'button plain', words.texts.openCollection)
  open.href = address
  status.replaceChildren(
    fillText(words.count(words.texts.joinFailed, failed.length), { names: namesOf(failed) }),
    ' ',
    open,
  )
  open.focus()
}

function namesOf(links: KeptLink[]): string {
  const names = links.slice(0, MAX_NAMED).map(nameOf)
  return [...names, ...(links.length > MAX_NAMED ? ['…'] : [])].join(', ')
}

function refusalText(refusal: Refusal, { sent, links, collection }: Progress, { texts }: Words): string {
  const values = { done: sent, n: links.length }
  if (refusal.kind === 'offline') return fillText(texts.notReached, values)
  if (refusal.kind === 'wait') return fillText(texts.tooMany, { ...values, minutes: Math.ceil(refusal.seconds / 60) })
  if (refusal.code === 'key_required') return texts.wrongKey
  return collection === undefined ? fillText(texts.refused, refusal) : texts.ended
}

/** Joins the links that were not sent. A request that the quota has no room for is divided. */
async function joinAll(
  progress: Progress,
  { texts }: Words,
  say: (text: string) => void,
): Promise<Refusal | undefined> {
  const { links, failed, collection } = progress
  for (let size = CHUNK; progress.sent < links.length;) {
    say(fillText(texts.joining, { done: progress.sent, n: links.length }))
    const chunk = links.slice(progress.sent, progress.sent + size)
    const results = await join(collection?.token ?? '', chunk)
    if (Array.isArray(results)) {
      failed.push(...chunk.filter((_link, at) => results[at]?.error !== undefined))
      progress.sent += chunk.length
    } else if (results.kind === 'wait' && chunk.length > LEAST) size = Math.ceil(chunk.length / 2)
    else return results
  }
  return undefined
}

async function join(token: string, links: KeptLink[]): Promise<{ error?: object }[] | Refusal> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  const body = JSON.stringify({ tokens: links.map((link) => link.token) })
  try {
    const response = await callApi('/api/collections/links', { method: 'POST', headers, body })
    if (!response.ok) return await refusalOf(response)
    return ((await response.json()) as { results: { error?: object }[] }).results
  } catch {
    return { kind: 'offline' }
  }
}
