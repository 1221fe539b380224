import { html, type Html } from '../http/html.ts'

interface Counts {
  scans: number
  unique_visitors: number
}

/** A bar for each day, and a table with the same figures. */
export function dayChart(days: ({ date: string } & Counts)[]): Html {
  const most = days.reduce((top, { scans }) => Math.max(top, scans), 0)
  return html`<p class="quiet">At most ${most} scans a day</p>
    <figure>
      <svg
        class="days"
        viewBox="0 0 ${days.length} 100"
        preserveAspectRatio="none"
        role="img"
        aria-label="Scans by day, ${most} at most; the table below has every figure"
      >
        ${days.map(({ date, scans }, at) => dayBar(at, scans, most, `${date}: ${scans}`))}
      </svg>
      <figcaption><span>${days[0]?.date}</span><span>${days.at(-1)?.date}</span></figcaption>
    </figure>
    <details>
      <summary>Table</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Scans</th>
            <th scope="col">Unique visitors</th>
          </tr>
        </thead>
        <tbody>
          ${days.map((day) => tableRow(day.date, day))}
        </tbody>
      </table>
    </details>`
}

/** A day with scans has a bar, however few they are. */
function dayBar(at: number, scans: number, most: number, title: string): Html | undefined {
  if (scans === 0) return undefined
  const height = Math.max(1, Math.round((1000 * scans) / most) / 10)
  return html`<rect x="${at + 0.1}" y="${100 - height}" width="0.8" height="${height}"><title>${title}</title></rect>`
}

function tableRow(name: string, { scans, unique_visitors: visitors }: Counts): Html {
  return html`<tr>
    <th scope="row">${name}</th>
    <td>${scans}</td>
    <td>${visitors}</td>
  </tr>`
}

/** The most frequent values of a dimension, each with a bar for its part of all scans. */
export function valueTable(rows: ({ name: string } & Counts)[], total: number): Html {
  if (rows.length === 0) return html`<p class="quiet">No scans in this period.</p>`
  return html`<table>
    <thead>
      <tr>
        <th scope="col">Value</th>
        <th scope="col">Scans</th>
        <th scope="col">Visitors</th>
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        ({ name, scans, unique_visitors: visitors }) =>
          html`<tr>
            <th scope="row">${name}${shareBar(scans, total)}</th>
            <td>${scans}</td>
            <td>${visitors}</td>
          </tr>`,
      )}
    </tbody>
  </table>`
}

function shareBar(scans: number, total: number): Html {
  const width = total === 0 ? 0 : Math.round((1000 * scans) / total) / 10
  return html`<svg class="share" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
    <rect width="${width}" height="1" />
  </svg>`
}
