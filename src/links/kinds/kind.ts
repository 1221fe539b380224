import type { TObject, TProperties } from '#typebox'
import type { Html } from '../../http/html.ts'
import type { FieldError } from '../../http/problem.ts'

/** What of a visitor decides where a visit leads. */
export interface Visitor {
  platform: 'ios' | 'android' | 'other'
}

/** What a visit answers. */
export type Outcome = { type: 'redirect'; location: string } | { type: 'document'; title: string; body: Html }

/** A link's own data as its kind sees it. */
export interface Content<P> {
  code: string
  target: string | null
  payload: P
  utm: Record<string, string>
}

/** One input of a kind's form; `name` is the field's name. */
export interface FormField {
  name: string
  label: string
  /** The input's type; `links` is a list of label and address pairs. */
  input: 'url' | 'text' | 'email' | 'tel' | 'textarea' | 'links'
  hint?: string
  required?: boolean
}

/**
 * A kind of link: what it holds and what a visit of it answers. Everything that differs between kinds is here, so that
 * a new kind is one file and one line in the list.
 */
export interface Kind<P = Record<string, unknown>> {
  name: string
  /** What a person calls it. */
  label: string
  /** Whether a visit leads to an address, to which `utm` is appended. */
  redirects: boolean
  /** The schema of its own fields; `target` belongs to every kind. */
  fields: TObject
  /** What no single field can say: which of them must be there. Pointers are those of flat fields. */
  check(content: { target: string | null; payload: P }): FieldError[]
  /** Every URL in its own fields, with its pointer; all pass the URL policy. */
  urls(payload: P): { pointer: string; url: string }[]
  /** Prepares a link's visits: what can be worked out once is, the returned function runs for each visit. */
  prepare(content: Content<P>): (visitor: Visitor) => Outcome
  /** What `/<code>.<extension>` downloads, and `/<code>` for who accepts only this type. */
  file?: { extension: string; mediaType: string; write(content: Content<P>): string }
  form: FormField[]
}

/** Gives a kind its payload's type inside its file, and hides it outside. */
export function defineKind<P>(kind: Kind<P>): Kind {
  return kind as unknown as Kind
}

/** The payload's type of a kind whose fields are all optional texts. */
export type Texts<T extends TProperties> = { [K in keyof T]?: string }
