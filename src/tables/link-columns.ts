/** The fields of a row of links, in the order in which they are shown. */
export const fieldNames = [
  'target',
  'alias',
  'title',
  'campaign',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
] as const

export type FieldName = (typeof fieldNames)[number]

/** What each column of a table holds; undefined for one that is not used. */
export type Mapping = (FieldName | undefined)[]

/**
 * Names of columns in English and German, and in the exports of other services, as `plainName` writes them. Of two columns
 * of a table, the one whose name comes first here has the field: Bitly's exports have a `long_url` beside a `link`.
 */
const names: Record<FieldName, string> = {
  target:
    'target destination destinationurl longurl originalurl targeturl fullurl original ziel zielurl zieladresse ' +
    'zielurladresse zielseite langeurl url webaddress webadresse internetadresse webseite website address adresse link links',
  alias:
    'alias slug customalias customcode backhalf code shortcode keyword kürzel kurzcode kurzname eigenercode wunschname ' +
    'path pfad key shorturl',
  title: 'title titel name label bezeichnung beschriftung description beschreibung',
  campaign: 'campaign kampagne group gruppe folder ordner tag tags schlagwort',
  utm_source: 'utmsource utmquelle source quelle',
  utm_medium: 'utmmedium medium',
  utm_campaign: 'utmcampaign utmkampagne',
  utm_term: 'utmterm utmbegriff term begriff',
  utm_content: 'utmcontent utminhalt content inhalt',
}

/** The names of a field, the preferred ones first. */
export const namesOf = (field: FieldName): string[] => names[field].split(' ')

const byName = new Map(
  fieldNames.flatMap((field) => namesOf(field).map((name, rank) => [name, { field, rank }] as const)),
)

/** Longer headers name no column. */
const MAX_NAME = 100

/** A name of a column without what people write differently: case, blanks and signs. */
export function plainName(name: string): string {
  return name
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** The field that a column of this name holds. */
export function fieldOf(name: string): FieldName | undefined {
  return rankOf(name)?.field
}

function rankOf(name: string) {
  return name.length > MAX_NAME ? undefined : byName.get(plainName(name))
}

/** What the names of a header say. */
export interface Header {
  mapping: Mapping
  /** Names of columns that hold no field, as they are written. */
  unknown: string[]
  /** A name that two columns have, so that either could be meant. */
  repeated: string | undefined
}

/** Reads a header: each field comes from one column. */
export function readHeader(cells: readonly string[]): Header {
  const ranks = cells.map(rankOf)
  const best = new Map<FieldName, number>()
  for (const [at, found] of ranks.entries()) {
    if (found === undefined) continue
    const other = ranks[best.get(found.field) ?? -1]
    if (other === undefined || found.rank < other.rank) best.set(found.field, at)
  }
  const mapping = ranks.map((found, at) => (found && best.get(found.field) === at ? found.field : undefined))
  const repeated = ranks.findIndex(
    (found, at) => found && mapping[at] === undefined && ranks[best.get(found.field) ?? -1]?.rank === found.rank,
  )
  const named = cells.map((name) => name.replaceAll('\uFEFF', '').trim())
  const unknown = named.filter((name, at) => name !== '' && mapping[at] === undefined)
  return { mapping, unknown, repeated: named[repeated] }
}
