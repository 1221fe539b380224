import type { TObject, TSchema } from '#typebox'
import type { Page } from '../../http/document.ts'
import type { Html } from '../../http/html.ts'
import type { FieldError, Reason } from '../../http/problem.ts'
import type { ByLanguage, Language } from '../../texts/language.ts'
import type { WritePreview } from './preview.ts'

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

/** One input of a kind's form. Its label and its hint are among the kind's texts. */
export interface FormField {
  name: string
  /** The field that it belongs to, when that has another name; the first input of a field shows its faults. */
  field?: string
  /** The input's type; `links` is a list of label and address pairs. A `color` starts with `DEFAULT_ACCENT`, which counts as left empty. */
  input: 'url' | 'text' | 'email' | 'tel' | 'textarea' | 'links' | 'color' | 'date' | 'time' | 'zone'
  required?: boolean
  /** Whether it stands beside its neighbour, where that is a half as well. */
  isHalf?: boolean
}

/** What a kind is called and says in one language, with what its own pages say besides. */
export interface KindTexts<Field extends string = string> {
  /** Its name on tabs and pages; the English one is also that of the API's description. */
  name: string
  labels: Record<Field, string>
  hints: Partial<Record<Field, string>>
  /** What to do about a fault of a field, where the general text would not say it. */
  faults: Partial<Record<Field, FaultTexts>>
  /** What `preview` says. */
  preview: Record<string, string>
}

/** Texts for the faults of a field, by their reasons. */
export type FaultTexts = Partial<Record<Reason['name'], string>>

/** How what is typed into the inputs of a form becomes fields, and how fields are shown in them. */
export interface FormReading<P = Record<string, unknown>> {
  /** @param before the fields of the link that is changed; undefined for a new link */
  toFields(typed: Record<string, unknown>, language: Language, before?: P): Record<string, unknown>
  toInputs(payload: P): Record<string, unknown>
}

/** What the service itself keeps of a link beside its fields, in a member of the payload that no request sets. */
export interface Stamp {
  /** The member's name; no field has it. */
  name: string
  /** What an import may bring along. */
  schema: TSchema
  /**
   * The stamp of a link that is stored.
   * @param after its fields, without the stamp
   * @param before what was stored; undefined for a new link
   * @param now milliseconds since 1970, UTC
   */
  next(after: Stamped, before: Stamped | undefined, now: number): unknown
}

type Stamped = Pick<Content<Record<string, unknown>>, 'payload' | 'utm'>

/** A file of a link. */
export interface KindFile<P = Record<string, unknown>> {
  extension: string
  mediaType: string
  write(content: Content<P>): string
}

/**
 * A kind of link: all that differs between kinds, in a folder of its own (`<kind>/`), so that a new kind is one folder and
 * one line in `index.ts`. Each part is demanded: one that a kind has not is `undefined`, said in its folder.
 */
export interface Kind<P = Record<string, unknown>> {
  name: string
  texts: ByLanguage<KindTexts<keyof P & string>>
  /** Whether a visit is redirected to a URL. */
  redirects: boolean
  /** Whether `utm` is set in an address of it. */
  takesUtm: boolean
  /** The schema of its own fields; `target` belongs to every kind. */
  fields: TObject<Record<keyof P & string, TSchema>>
  /** Rules across fields: which of them are required. Pointers are those of flat fields. */
  check(content: { target: string | null; payload: P }): FieldError[]
  /** Every URL in its own fields, with its pointer; the URL policy checks them. */
  urls(payload: P): { pointer: string; url: string }[]
  stamp: Stamp | undefined
  /** Prepares a link's visits: computes once what all visits share; the returned function runs for each visit. */
  prepare(content: Content<P>): (visitor: Visitor) => Outcome
  /** The file at `/<code>.<extension>`, and at `/<code>` for clients that accept only this type. */
  file: KindFile<P> | undefined
  /** What the picture of its page shows. */
  picture: ((payload: P) => Picture) | undefined
  form: FormField[]
  /** Undefined when each input is the field of its name. */
  reading: FormReading<P> | undefined
  /** What the owner's page shows as that to which it leads; 'target' for its target, which can be changed right there. */
  leadsTo: 'target' | ((payload: P, language: Language) => Html)
  /** What the create page shows while the form is filled in. It stands in `preview.ts`, where browsers load it from. */
  preview: WritePreview
  /** The fields of a creation, each with a value, for examples and tests. */
  sample: P | { target: string }
}

/** Types a kind's payload inside its folder, and hides the type outside. */
export function defineKind<P>(kind: Kind<P>): Kind {
  return kind as unknown as Kind
}
