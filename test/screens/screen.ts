import type { Page } from 'playwright-core'
import type { TestServer } from '../support/server.ts'

/** The service that the screens show. */
export interface Site {
  url: string
  server: TestServer
}

/** A state of a page that is worth looking at. */
export interface Screen {
  /** The name of its images, for example `owner-empty`. */
  name: string
  /** Opens the page and brings it into that state. */
  open: (page: Page, site: Site) => Promise<void>
}
