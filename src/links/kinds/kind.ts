import type { TObject, TProperties } from '#typebox'
import type { Page } from '../../http/document.ts'
import type { FieldError } from '../../http/problem.ts'
import type { Language } from '../../texts/language.ts'

/** The properties of a visitor that decide where a visit leads. */
export interface Visitor {
  platform: 'ios' | 'android' | 'other'
}

/** Who sees a page, and where. */
export interface Viewer {
  language: Language
  /** The name of the browser, or of the app that shows the page; null when it is unknown. */
  browser: string | null
  /** The public origin of the page. */
  origin: string
  /** What precedes the path of a page of the service; undefined when that is unknown. */
  service: string | undefined
}

/** What the picture of a page shows, which stands for it where its address is shared. */
export interface Picture {
  title: string
  text: string
  initials: string
  /** `#rrggbb` */
  accent: string
}

/** The response to a visit. */
export type Outcome =
  | { type: 'redirect'; location: string }
  | { type: 'document'; pageFor: (viewer: Viewer) => Omit<Page, 'site'> }

/** A link's own data as its kind sees it. */
export interface Content<P> {
  code: string
  target: string | null
  payload: P
  utm: Record<string, string>
  /** Whether its addresses ask for a password. */
  isProtected?: boolean
}

/** What an input for a colour, which cannot be empty, has while none was chosen: the accent of the pages. */
export const DEFAULT_ACCENT = '#00653a'

/** One input of a kind's form; `name` is the field's name. Its label and its hint are among the texts of the pages. */
export interface FormField {
  name: string
  /** The input's type; `links` is a list of label and address pairs. A `color` starts with `DEFAULT_ACCENT`, which counts as left empty. */
  input: 'url' | 'text' | 'email' | 'tel' | 'textarea' | 'links' | 'color' | 'date'
  required?: boolean
}

/**
 * A kind of link: its fields, and the response to its visits. Everything that differs between kinds is here, so that a new
 * kind is one file and one line in the list.
 */
export interface Kind<P = Record<string, unknown>> {
  name: string
  /** Its name in the description of the API. */
  label: string
  /** Whether a visit is redirected to a URL, in which `utm` is set. */
  redirects: boolean
  /** The schema of its own fields; `target` belongs to every kind. */
  fields: TObject
  /** Rules across fields: which of them are required. Pointers are those of flat fields. */
  check(content: { target: string | null; payload: P }): FieldError[]
  /** Every URL in its own fields, with its pointer; the URL policy checks them. */
  urls(payload: P): { pointer: string; url: string }[]
  /** Prepares a link's visits: computes once what all visits share; the returned function runs for each visit. */
  prepare(content: Content<P>): (visitor: Visitor) => Outcome
  /** The file at `/<code>.<extension>`, and at `/<code>` for clients that accept only this type. */
  file?: { extension: string; mediaType: string; write(content: Content<P>): string }
  /** What the picture of its page shows. */
  picture?(payload: P): Picture
  form: FormField[]
}

/** Types a kind's payload inside its file, and hides the type outside. */
export function defineKind<P>(kind: Kind<P>): Kind {
  return kind as unknown as Kind
}

/** The payload's type of a kind whose fields are all optional texts. */
export type Texts<T extends TProperties> = { [K in keyof T]?: string }
