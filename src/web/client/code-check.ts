import { element } from './element.ts'
import { fillText } from '../../lib/fill-text.ts'
import { callApi } from './call-api.ts'

/** Milliseconds after the last key. */
const DEBOUNCE_MS = 400

type State = 'checking' | 'free' | 'taken' | 'reserved' | 'invalid' | 'unknown'

/** Says below the input of a custom code whether it is free. */
export function checkCode(input: HTMLInputElement, texts: Record<State, string>): void {
  const line = element('p', 'home-state')
  line.id = 'code-state'
  line.ariaLive = 'polite'
  input.after(line)
  input.setAttribute('aria-describedby', `${input.getAttribute('aria-describedby') ?? ''} code-state`.trim())
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: AbortController | undefined

  const show = (state: State | undefined, code: string) => {
    const isRefused = state === 'taken' || state === 'reserved' || state === 'invalid'
    line.className = `home-state ${isRefused ? 'taken' : (state ?? '')}`
    line.textContent = state === undefined ? '' : fillText(texts[state], { code })
  }
  const check = async (code: string) => {
    const { signal } = (running = new AbortController())
    show('checking', code)
    const state = await request(code, signal)
    if (!signal.aborted) show(state, code)
  }
  input.addEventListener('input', () => {
    clearTimeout(timer)
    running?.abort()
    // What the server said about the code before is about another one.
    document.getElementById('field-alias-fault')?.remove()
    input.removeAttribute('aria-invalid')
    const code = input.value
    if (code === '') return show(undefined, code)
    if (!/^[\w-]{1,64}$/.test(code)) return show('invalid', code)
    timer = setTimeout(() => void check(code), DEBOUNCE_MS)
  })
}

async function request(code: string, signal: AbortSignal): Promise<State> {
  try {
    const response = await callApi(`/api/links/${code}/available`, { signal })
    if (!response.ok) return 'unknown'
    const { available, reason } = (await response.json()) as { available: boolean; reason?: State }
    return available ? 'free' : (reason ?? 'unknown')
  } catch {
    return 'unknown'
  }
}
