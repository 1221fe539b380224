import { fillText } from '../../../lib/fill-text.ts'
import type { Design } from '../../../qr/design/schema.ts'
import type { ApiError } from '../../bulk/faults.ts'
import { faultsOf, wholeFault } from '../../designer/messages.ts'
import { callApi } from '../call-api.ts'
import { refusalOf, type Refusal } from '../create-collection.ts'
import { saveSession } from './session.ts'
import { designOf, type GridFault, type ListLook, type State } from './state.ts'

/** Characters of a design that each row can carry: 200 rows then fit into one request. A collection keeps a larger one once. */
const MAX_INLINE = 6_000

/** Why no link can have the chosen look, in people's words. */
export function lookRefusal(state: State, isCollected: boolean): string | undefined {
  const { look, texts } = state
  const design = designOf(state)
  if (design === undefined) return undefined
  if (look.isRefused) return texts.look.refused
  return !isCollected && JSON.stringify(design).length > MAX_INLINE ? texts.look.tooLarge : undefined
}

/** Notes the look that the next rows get. @returns its place in `looks`; undefined for plain codes */
export function chooseLook(state: State, isCollected: boolean): number | undefined {
  const { look, looks, texts } = state
  const design = designOf(state)
  if (design === undefined) return undefined
  const kept = look.name === '' ? undefined : look.name
  const text = JSON.stringify(design)
  const same = (each: ListLook) => JSON.stringify(each.design) === text && (each.name !== undefined) === isCollected
  const known = looks.findIndex((each) => same(each) && (kept === undefined || each.name === kept))
  if (known >= 0) return known
  const name = kept ?? texts.look.name
  return looks.push({ design, ...(isCollected && { name, isKept: kept !== undefined }) }) - 1
}

/** What the rows of a request have as their design. */
export const rowDesign = ({ design, name }: ListLook): object => (name === undefined ? design : { look: name })

/** Has the collection of the list keep a look that rows are to name. */
export async function openLook(state: State, look: ListLook | undefined): Promise<Refusal | undefined> {
  const token = state.collection?.created?.token
  if (look?.name === undefined || look.isKept || token === undefined) return undefined
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  try {
    const found = await readLooks(token)
    if ('kind' in found) return found
    look.name = freeName(look.name, look.design, found.looks)
    const body = JSON.stringify({ looks: { [look.name]: look.design } })
    const response = await callApi('/api/collections', { method: 'PUT', headers, body })
    if (!response.ok) return await refusalOf(response)
    look.isKept = true
    saveSession(state)
    return undefined
  } catch {
    return { kind: 'offline' }
  }
}

/** The looks of a collection, by name. @throws when the service cannot be reached */
export async function readLooks(token: string): Promise<{ looks: Record<string, Design> } | Refusal> {
  const response = await callApi('/api/collections', { headers: { authorization: `Bearer ${token}` } })
  if (!response.ok) return refusalOf(response)
  const { looks = {} } = (await response.json()) as { looks?: Record<string, Design> }
  return { looks }
}

/** A name by which the collection has no other design. */
function freeName(name: string, design: Design, looks: Record<string, Design>): string {
  const text = JSON.stringify(design)
  const isFree = (candidate: string) => !Object.hasOwn(looks, candidate) || JSON.stringify(looks[candidate]) === text
  let candidate = name
  for (let n = 2; !isFree(candidate); n++) candidate = `${name} ${n}`
  return candidate
}

/** Why the code of a row cannot have the look of the list; undefined for any other error. */
export function lookFault(
  { code, detail, errors }: ApiError,
  { designFaults, look }: State['texts'],
): GridFault | undefined {
  const ofDesign = errors.filter(({ pointer }) => /^\/design(?:\/|$)/.test(pointer))
  if (ofDesign.length === 0 && code !== 'unscannable') return undefined
  const [fault = wholeFault(detail, designFaults)] = faultsOf(ofDesign, designFaults)
  return { field: 'design', text: fillText(look.row, { reason: fault.text }) }
}

/** Lets rows be created that only had a look which their codes could not have. */
export function forgetLookFaults(state: State): void {
  for (const row of state.rows) {
    if (row.fault?.field !== 'design') continue
    row.state = 'ready'
    delete row.fault
  }
}
