import { html } from '../http/html.ts'

/** The link that the licence of the city database requires. */
export const creditNote = html`<p class="quiet">
  Cities in the statistics: <a href="https://db-ip.com">IP Geolocation by DB-IP</a>
</p>`
