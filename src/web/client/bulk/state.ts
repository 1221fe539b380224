import type { IslandTexts } from '../../bulk/island-texts.ts'
import type { TableLayout } from '../../bulk/columns.ts'
import type { KeptCollection } from '../../my-links/kept-collections.ts'
import type { RowFault } from '../../bulk/faults.ts'
import type { FileNames } from '../../../lib/file-name.ts'
import type { Design } from '../../../qr/design/schema.ts'
import type { LinkRow, TableRecord } from '../../../tables/records.ts'

/** A created link, as the API returns it. */
export interface CreatedLink {
  code: string
  short_url: string
  qr_png: string
  qr_svg: string
  manage_url: string
  token: string
  /** What the service says of the row besides. */
  warnings?: { code: string }[]
}

/** A row of the grid. */
export interface GridRow {
  id: number
  cells: LinkRow
  state: 'new' | 'ready' | 'faulty' | 'created'
  fault?: GridFault
  /** The file has more text in this row than the cells. */
  isPart?: boolean
  link?: CreatedLink
  /** Whether the link is in the collection of the list. */
  isCollected?: boolean
  /** The design of the link's code. */
  design?: Design
}

/** Why a row cannot become a link; `design` when its code cannot have the look of the list. */
export interface GridFault {
  field: RowFault['field'] | 'design'
  text: string
}

/** Rows that one request creates: sent again with the same key, it creates nothing twice. */
export interface Chunk {
  key: string
  ids: number[]
  isDone: boolean
  /** Whether its links join the collection of the list. */
  isCollected: boolean
  /** Which of the looks of the list its links have. */
  look?: number | undefined
}

/** A look that links of the list have got. */
export interface ListLook {
  design: Design
  /** By which the collection of the list has it, or is to have it; without one, each row carries the design. */
  name?: string | undefined
  isKept?: boolean
}

/** What a person chooses as the look of the codes. */
export interface LookChoice {
  /** What the form of the designer holds. */
  own: Design
  /** The looks of the collection that is chosen, by name. */
  kept: Readonly<Record<string, Design>>
  /** The one of them that is chosen; empty for that of the form. */
  name: string
  isRefused: boolean
}

/** The collection of a list. */
export interface ListCollection {
  /** Created again with the same key, it is the same one. */
  key: string
  name: string
  created?: KeptCollection
  /** Whether it is created for this list. */
  isNew: boolean
}

/** A label of the sheet: the URL of its image is one of this page. */
export interface Label {
  url: string
  title: string
  address: string
}

export interface State {
  texts: IslandTexts
  /** What was read, to be mapped to rows. */
  table?: { records: TableRecord[]; layout: TableLayout } | undefined
  rows: GridRow[]
  /** The rows that the filter shows; undefined for all. */
  shown?: number[] | undefined
  /** The first row that the grid shows. */
  from: number
  /** For screen readers only when the page shows the same elsewhere. */
  notice?: { text: string; isAlarm?: boolean; isUnseen?: boolean } | undefined
  run?: { kind: 'checking' | 'creating' | 'drawing'; done: number; total: number; waitUntil?: number } | undefined
  /** The creations that were begun. */
  chunks: Chunk[]
  /** Whether a person wants the links in a collection: one that this browser keeps, or a new one. */
  together: { isChosen: boolean; name: string; kept: string }
  collection?: ListCollection | undefined
  look: LookChoice
  /** The looks that links have got, in the order in which they were chosen. */
  looks: ListLook[]
  /** How the images of a ZIP are. */
  archive: { format: 'svg' | 'png'; names: FileNames }
  isSaved: boolean
  isStartOverAsked: boolean
  sheet?: Label[] | undefined
  copied?: string | undefined
}

export function newState(texts: IslandTexts): State {
  const [rows, chunks, looks] = [[], [], []]
  const archive = { format: 'svg', names: 'code' } as const
  const choices = { together: newTogether(), look: newLook(), archive }
  return { texts, rows, from: 0, chunks, ...choices, looks, isSaved: false, isStartOverAsked: false }
}

export function newLook(): LookChoice {
  return { own: {}, kept: {}, name: '', isRefused: false }
}

/** The design that new codes get; undefined for plain ones. */
export function designOf({ look }: Pick<State, 'look'>): Design | undefined {
  const design = look.kept[look.name] ?? look.own
  return Object.keys(design).length === 0 ? undefined : design
}

export function newTogether(): State['together'] {
  return { isChosen: true, name: '', kept: '' }
}

export const createdOf = ({ rows }: Pick<State, 'rows'>): (GridRow & { link: CreatedLink })[] =>
  rows.filter((row): row is GridRow & { link: CreatedLink } => row.link !== undefined)

/** The rows that are still to become links. */
export const openOf = ({ rows }: Pick<State, 'rows'>): GridRow[] => rows.filter(({ state }) => state !== 'created')

/** Whether a creation was begun and has not come to its end. */
export const isUnfinished = ({ chunks }: Pick<State, 'chunks'>): boolean => chunks.some(({ isDone }) => !isDone)
