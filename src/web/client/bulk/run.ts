import { faultOf, type ApiError } from '../../bulk/faults.ts'
import { fillText } from '../../../lib/fill-text.ts'
import { count } from '../../bulk/count.ts'
import { bodyOf } from '../../bulk/rows.ts'
import { randomKey } from '../secure-context.ts'
import { saveSession } from './session.ts'
import { createdOf, openOf, type GridRow, type State, type CreatedLink } from './state.ts'
import { callApi } from '../call-api.ts'

/** Rows and characters of one request: the service takes 500 rows and 4 MiB. */
const CHUNK_ROWS = 500
const CHUNK_CHARACTERS = 1_200_000
type RowOutcome = { index: number } & (CreatedLink | { error: ApiError } | { valid: true })
/** What became of a request: the outcome of each row, or why there is none. */
type Answer =
  | { kind: 'rows'; results: RowOutcome[] }
  | { kind: 'wait'; seconds: number }
  | { kind: 'refused'; detail: string }
  | { kind: 'offline' }

/** Changes the state and shows it. */
export type Update = (change: Partial<State>) => void

export interface Runner {
  check: () => Promise<void>
  /** Creates the rows that have no faults. */
  create: () => Promise<void>
  /** Goes on with creations that were begun. */
  resume: () => Promise<void>
  /** Ends the run while it waits. */
  stop: () => void
}

/** Sends the rows, chunk by chunk, and waits when a limit is reached. */
export function createRunner(state: State, update: Update): Runner {
  let stopWaiting: (() => void) | undefined

  /** @returns false when the client has stopped it */
  async function wait(seconds: number): Promise<boolean> {
    const waitUntil = Date.now() + seconds * 1_000
    if (state.run !== undefined) update({ run: { ...state.run, waitUntil } })
    const isStopped = await new Promise<boolean>((resolve) => {
      const end = (isStopped: boolean) => {
        clearInterval(timer)
        resolve(isStopped)
      }
      const timer = setInterval(() => (Date.now() >= waitUntil ? end(false) : update({})), 1_000)
      stopWaiting = () => end(true)
    })
    stopWaiting = undefined
    return !isStopped
  }

  /** @returns undefined when the client has stopped it */
  async function send(body: string, key?: string): Promise<Exclude<Answer, { kind: 'wait' }> | undefined> {
    for (;;) {
      const answer = await sendRows(body, key)
      if (answer.kind !== 'wait') return answer
      if (!(await wait(answer.seconds))) return undefined
    }
  }

  return { ...createSteps(state, update, send), stop: () => stopWaiting?.() }
}

type Send = (body: string, key?: string) => Promise<Exclude<Answer, { kind: 'wait' }> | undefined>

function createSteps(state: State, update: Update, send: Send): Omit<Runner, 'stop'> {
  async function run(kind: 'checking' | 'creating', requests: RequestRows[]) {
    await sendAll({ state, update, send }, kind, requests)
    if (state.notice === undefined) finish(state, update)
  }

  async function resume() {
    const byId = new Map(state.rows.map((row) => [row.id, row]))
    const requests = state.chunks
      .filter(({ isDone }) => !isDone)
      .map((chunk) => {
        const rows = chunk.ids.flatMap((id) => byId.get(id) ?? [])
        return { rows, key: chunk.key, end: () => (chunk.isDone = true) }
      })
    await run('creating', requests)
  }

  return {
    resume,
    check: () =>
      run(
        'checking',
        divide(markLocalFaults(state)).map((rows) => ({ rows })),
      ),
    async create() {
      const rows = markLocalFaults(state).concat(openOf(state).filter(({ state }) => state === 'ready'))
      const chunks = divide(rows).map((ofChunk) => {
        return { key: randomKey(), ids: ofChunk.map(({ id }) => id), isDone: false }
      })
      update({ chunks: [...state.chunks, ...chunks], isSaved: false, table: undefined })
      saveSession(state)
      await resume()
    },
  }
}

/** Rows that one request sends; with a key they are created. */
interface RequestRows {
  rows: GridRow[]
  key?: string
  end?: () => void
}

/** Sends rows until the answer to one request says to end. */
async function sendAll(
  { state, update, send }: { state: State; update: Update; send: Send },
  kind: 'checking' | 'creating',
  requests: RequestRows[],
): Promise<void> {
  const total = requests.reduce((sum, { rows }) => sum + rows.length, 0)
  let done = 0
  update({ run: { kind, done, total }, notice: undefined, sheet: undefined })
  for (const { rows, key, end } of requests) {
    const answer = await send(JSON.stringify(rows.map(({ cells }) => bodyOf(cells))), key)
    if (answer?.kind !== 'rows') return update({ run: undefined, notice: noticeOf(state, answer) })
    applyResults(rows, answer.results, state)
    end?.()
    done += rows.length
    update({ run: { kind, done, total } })
  }
  update({ run: undefined })
}

/** Tells how the run ended, and shows the rows to correct. */
function finish(state: State, update: Update): void {
  const { texts } = state
  const faulty = state.rows.filter(({ state }) => state === 'faulty')
  if (faulty.length > 0) {
    const text = count(texts.someFaulty, faulty.length)
    return update({ shown: faulty.map(({ id }) => id), from: 0, notice: { text, isAlarm: true } })
  }
  const ready = openOf(state).length
  const text = ready > 0 ? count(texts.allReady, ready) : count(texts.done, createdOf(state).length)
  update({ shown: undefined, notice: { text, isUnseen: ready === 0 } })
}

function noticeOf({ texts }: State, answer: Exclude<Answer, { kind: 'wait' | 'rows' }> | undefined): State['notice'] {
  if (answer === undefined) return { text: texts.stopped }
  if (answer.kind === 'offline') return { text: texts.offline, isAlarm: true }
  return { text: fillText(texts.problems.failed, { detail: answer.detail }), isAlarm: true }
}

function applyResults(rows: GridRow[], results: RowOutcome[], { texts }: State): void {
  for (const [at, row] of rows.entries()) {
    const result = results[at]
    delete row.fault
    if (result === undefined) continue
    if ('error' in result) {
      row.state = 'faulty'
      row.fault = faultOf(result.error, row.cells, texts.faults)
    } else if ('code' in result) {
      row.state = 'created'
      row.link = result
    } else row.state = 'ready'
  }
}

/** Marks what needs no request to be found. @returns the rows that are still to be checked */
function markLocalFaults(state: State): GridRow[] {
  const { faults } = state.texts
  const seen = new Set<string>()
  for (const row of state.rows) {
    const alias = (row.cells.alias ?? '').trim().toLowerCase()
    const isRepeated = alias !== '' && seen.has(alias)
    seen.add(alias)
    if (row.state === 'created') continue
    const isMissing = (row.cells.target ?? '').trim() === ''
    if (isMissing) Object.assign(row, { state: 'faulty', fault: { field: 'target', text: faults.target_missing } })
    else if (isRepeated) Object.assign(row, { state: 'faulty', fault: { field: 'alias', text: faults.alias_twice } })
    else if (row.fault?.text === faults.alias_twice) row.state = 'new'
  }
  return state.rows.filter((row) => row.state === 'new')
}

/** Divides rows into what one request can hold. */
function divide(rows: GridRow[]): GridRow[][] {
  const chunks: GridRow[][] = []
  let size = Number.POSITIVE_INFINITY
  for (const row of rows) {
    const length = JSON.stringify(row.cells).length + 32
    const last = chunks.at(-1)
    if (last === undefined || last.length >= CHUNK_ROWS || size + length > CHUNK_CHARACTERS) {
      chunks.push([row])
      size = length
    } else {
      last.push(row)
      size += length
    }
  }
  return chunks
}

/** Sends rows to the API; with a key they are created, without one only checked. */
async function sendRows(body: string, key?: string): Promise<Answer> {
  // Where the operator asks for a key, the page has an input for it.
  const creationKey = document.querySelector<HTMLInputElement>('[name=creation_key]')?.value.trim()
  const headers = {
    'content-type': 'application/json',
    ...(key !== undefined && { 'idempotency-key': key }),
    ...(creationKey && { authorization: `Bearer ${creationKey}` }),
  }
  try {
    const url = key === undefined ? '/api/bulk?dry_run=true' : '/api/bulk'
    const response = await callApi(url, { method: 'POST', headers, body })
    const retryAfter = Number(response.headers.get('retry-after'))
    if ([429, 503].includes(response.status)) return { kind: 'wait', seconds: Math.max(1, retryAfter || 10) }
    // Not ours: from a proxy in front of the service, for example.
    if (response.status >= 500) return { kind: 'offline' }
    const { results, detail = '' } = (await response.json()) as { results?: RowOutcome[]; detail?: string }
    return results === undefined ? { kind: 'refused', detail } : { kind: 'rows', results }
  } catch {
    return { kind: 'offline' }
  }
}
