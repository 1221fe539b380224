import type { bulkTexts } from '../../texts/bulk.ts'

/** What a column can hold. */
export type FieldName = keyof (typeof bulkTexts)['en']['fields']

/** The fields of a row, in the order in which they are shown. */
export const fieldNames: readonly FieldName[] = [
  'target',
  'alias',
  'title',
  'campaign',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
]

/** What each column of a table holds; undefined for one that is not used. */
export type Mapping = (FieldName | undefined)[]

/** How a table is read. */
export interface TableLayout {
  mapping: Mapping
  hasHeader: boolean
}

/** Names of columns in English and German, and in the exports of other services; without spaces, "-" and "_". */
const names: Record<FieldName, string> = {
  target:
    'target url longurl destination destinationurl originalurl original fullurl link links address website webaddress ' +
    'ziel zieladresse zielurl zielurladresse adresse webadresse webseite internetadresse langeurl',
  alias:
    'alias code customcode slug backhalf keyword customalias shortcode shorturl path key kürzel kurzname kurzcode ' +
    'eigenercode wunschname pfad',
  title: 'title name label description titel bezeichnung beschreibung beschriftung',
  campaign: 'campaign group tag tags folder kampagne gruppe ordner schlagwort',
  utm_source: 'utmsource source utmquelle quelle',
  utm_medium: 'utmmedium medium',
  utm_campaign: 'utmcampaign utmkampagne',
  utm_term: 'utmterm term utmbegriff begriff',
  utm_content: 'utmcontent content utminhalt inhalt',
}

const fieldsByName = new Map(
  fieldNames.flatMap((field) => names[field].split(' ').map((name) => [name, field] as const)),
)

/** Rows that are looked at to guess what a column holds, and columns that are looked at. */
const SAMPLE = 20
const MAX_COLUMNS = 50
/** Longer headers name no column. */
const MAX_NAME = 100

/** Guesses the delimiter of a CSV: the one that yields most known names in the first line, and then most cells. */
export function guessDelimiter(text: string): string {
  const [line = ''] = /[^\r\n]{1,2000}/.exec(text) ?? []
  const score = (delimiter: string) => {
    const cells = line.split(delimiter)
    return cells.filter((cell) => fieldOf(cell.replaceAll('"', '')) !== undefined).length * 1_000 + cells.length
  }
  return [',', ';', '\t'].toSorted((a, b) => score(b) - score(a))[0] ?? ','
}

/** Guesses what the columns hold: by their names in the first line, otherwise by what stands in them. */
export function guessLayout(records: readonly (readonly string[])[]): TableLayout {
  const first = (records[0] ?? []).slice(0, MAX_COLUMNS)
  const named = withoutRepeated(first.map(fieldOf))
  const hasAddress = first.some(isAddress)
  const hasHeader = named.some((field) => field !== undefined) && !hasAddress
  const mapping = hasHeader ? named : first.map(() => undefined)
  if (!mapping.includes('target')) {
    const rows = records.slice(hasHeader ? 1 : 0, SAMPLE)
    const column = columnOfAddresses(rows, mapping)
    if (column !== undefined) mapping[column] = 'target'
  }
  return { mapping, hasHeader }
}

function fieldOf(name: string): FieldName | undefined {
  if (name.length > MAX_NAME) return undefined
  return fieldsByName.get(name.toLowerCase().replace(/[\s_\-\uFEFF]/g, ''))
}

/** Keeps the first column of each field. */
function withoutRepeated(mapping: Mapping): Mapping {
  return mapping.map((field, at) => (mapping.indexOf(field) === at ? field : undefined))
}

function columnOfAddresses(rows: readonly (readonly string[])[], mapping: Mapping): number | undefined {
  const counts = mapping.map((field, at) =>
    field === undefined ? rows.filter((cells) => isAddress(cells[at] ?? '')).length : 0,
  )
  const most = Math.max(0, ...counts)
  return most === 0 ? undefined : counts.indexOf(most)
}

function isAddress(cell: string): boolean {
  return /^\s{0,10}(?:https?:\/\/|www\.)/i.test(cell)
}
