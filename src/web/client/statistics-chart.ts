import type { Texts } from './statistics-page.ts'
import { ownValue } from '../../lib/own-value.ts'

interface Chart {
  plot: SVGElement
  cursor: SVGElement
  readout: HTMLElement
  rows: HTMLTableRowElement[]
  legend: Node[]
}

const steps: Record<string, number> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -7,
  PageUp: 7,
  Home: -Infinity,
  End: Infinity,
}

/**
 * Lets people read the values of the chart of a section: with the mouse, a finger or the arrow keys. The table has the same
 * values.
 */
export function prepareChart(section: HTMLElement, texts: Texts): void {
  const chart = findChart(section)
  if (chart === undefined) return
  const { plot, rows } = chart
  // The titles would cover what is read.
  for (const title of plot.querySelectorAll('title')) title.remove()
  const attributes = {
    role: 'slider',
    tabindex: '0',
    'aria-label': plot.dataset['name'] ?? '',
    'aria-valuemin': '0',
    'aria-valuemax': String(rows.length - 1),
  }
  for (const [name, value] of Object.entries(attributes)) plot.setAttribute(name, value)
  listen(chart, createReadout(chart, texts))
}

interface Readout {
  /** Shows a column; beyond the ends, the last one. */
  show: (index: number) => void
  /** The column that was shown last. */
  shown: () => number
  hide: () => void
}

function createReadout({ plot, cursor, readout, rows, legend }: Chart, texts: Texts): Readout {
  let at = 0

  function show(index: number): void {
    at = Math.max(0, Math.min(rows.length - 1, index))
    const [name = '', scans = '', visitors = ''] = Array.from(rows[at]?.cells ?? [], (cell) => cell.textContent.trim())
    const value = `${texts.scans} ${scans}, ${texts.visitors} ${visitors}`
    const strong = document.createElement('b')
    strong.textContent = name
    readout.replaceChildren(strong, ` ${value}`)
    cursor.setAttribute('x', `${(100 * at) / rows.length}%`)
    cursor.setAttribute('visibility', 'visible')
    plot.setAttribute('aria-valuenow', String(at))
    plot.setAttribute('aria-valuetext', `${name}: ${value}`)
  }

  function hide(): void {
    readout.replaceChildren(...legend)
    cursor.setAttribute('visibility', 'hidden')
  }

  show(rows.length - 1)
  hide()
  return { show, shown: () => at, hide }
}

function listen({ plot, rows }: Chart, { show, shown, hide }: Readout): void {
  const showAt = ({ clientX }: PointerEvent) => {
    const { left, width } = plot.getBoundingClientRect()
    show(Math.floor(((clientX - left) / width) * rows.length))
  }
  plot.addEventListener('pointerdown', showAt)
  plot.addEventListener('pointermove', showAt)
  // A finger that is lifted leaves, too; the value stays to be read.
  plot.addEventListener('pointerleave', ({ pointerType }) => pointerType === 'mouse' && hide())
  plot.addEventListener('focus', () => plot.matches(':focus-visible') && show(shown()))
  plot.addEventListener('blur', hide)
  plot.addEventListener('keydown', (event) => {
    const step = ownValue(steps, event.key)
    if (step === undefined) return
    event.preventDefault()
    show(shown() + step)
  })
}

function findChart(section: HTMLElement): Chart | undefined {
  const plot = section.querySelector<SVGElement>('.plot')
  const cursor = section.querySelector<SVGElement>('.cursor')
  const readout = section.querySelector<HTMLElement>('.stats-readout')
  const rows = [...section.querySelectorAll<HTMLTableRowElement>('.stats-table tbody tr')]
  if (plot === null || cursor === null || readout === null || rows.length === 0) return undefined
  return { plot, cursor, readout, rows, legend: [...readout.childNodes] }
}
