import type { Mmdb } from './mmdb.ts'

const states =
  'AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,DE Delaware,DC District of Columbia,' +
  'FL Florida,GA Georgia,HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa,KS Kansas,KY Kentucky,LA Louisiana,ME Maine,' +
  'MD Maryland,MA Massachusetts,MI Michigan,MN Minnesota,MS Mississippi,MO Missouri,MT Montana,NE Nebraska,NV Nevada,' +
  'NH New Hampshire,NJ New Jersey,NM New Mexico,NY New York,NC North Carolina,ND North Dakota,OH Ohio,OK Oklahoma,OR Oregon,' +
  'PA Pennsylvania,RI Rhode Island,SC South Carolina,SD South Dakota,TN Tennessee,TX Texas,UT Utah,VT Vermont,VA Virginia,' +
  'WA Washington,WV West Virginia,WI Wisconsin,WY Wyoming'
const provinces =
  'AB Alberta,BC British Columbia,MB Manitoba,NB New Brunswick,NL Newfoundland and Labrador,NT Northwest Territories,' +
  'NS Nova Scotia,NU Nunavut,ON Ontario,PE Prince Edward Island,QC Quebec,SK Saskatchewan,YT Yukon'
const australian =
  'ACT Australian Capital Territory,NSW New South Wales,NT Northern Territory,QLD Queensland,SA South Australia,TAS Tasmania,' +
  'VIC Victoria,WA Western Australia'
/**
 * The countries whose cities are named with their regions, and the codes of these (ISO 3166-2). Elsewhere the free databases
 * spell a region in several ways (Prague is in "Prague" and in "Hlavni mesto Praha"), which would split a city in two.
 */
const regions: Record<string, Map<string, string>> = {
  US: codesOf(states),
  CA: codesOf(provinces),
  AU: codesOf(australian),
}

/** The place of an address. Unknown is null. */
export interface Place {
  /** ISO 3166-1 alpha-2. */
  country: string | null
  city: string | null
}

/** An open source of places. */
export interface PlaceFile {
  /** The size of the published file. */
  size: number
  builtAt: number
  type: string
  /**
   * Returns the place of an address (4 or 16 bytes), if it is known.
   * @throws when the file is damaged there, or cannot be read
   */
  find: (address: readonly number[]) => Place | undefined
  /** Loads the file into the system's cache, so that look-ups do not wait for the disk; absent for large files. */
  readAhead?: () => Promise<void>
  close: () => void
}

/** Looks up places in a published file directly. */
export function placesIn(file: Mmdb): PlaceFile {
  const { size, builtAt, type, close } = file
  return {
    size,
    builtAt,
    type,
    find(address) {
      const offset = file.find(address)
      return offset === undefined ? undefined : placeAt(file, offset)
    },
    close,
  }
}

const LONGEST_CITY = 100

/** The paths in flat records, and in MaxMind's. */
const countryPaths = [['country_code'], ['country', 'iso_code'], ['country']]
const cityPaths = [['city'], ['city', 'names', 'en']]
const regionPaths = [['state1'], ['subdivisions', 'iso_code'], ['region']]
/** The names of regions, for those without a well-known code. */
const regionNamePaths = [['state1'], ['subdivisions', 'names', 'en'], ['region'], ['subdivisions', 'iso_code']]
const latitudePaths = [['latitude'], ['location', 'latitude']]
const longitudePaths = [['longitude'], ['location', 'longitude']]

/** Cities whose names have parentheses that are not a district. */
const namedByRiver = /^(?:Frankfurt \(Oder\)|Halle \(Saale\))/

type Data = Pick<Mmdb, 'data'>

/** Cities that the free data also have under the names of their districts (Paris 19 Buttes-Chaumont, Praha 10). */
const numberedDistrict = /^(Paris|Lyon|Marseille|Praha) \d/

/** @throws when the file is damaged there, or cannot be read */
export function placeAt({ data }: Data, offset: number): Place {
  const at = (paths: string[][]) => textAt(data, offset, paths)
  return placeNamed({ country: at(countryPaths), city: at(cityPaths), region: at(regionPaths) })
}

/** What others call a place: the code of its country, its city, and the name or the code of its region. */
export type PlaceNames = Record<'country' | 'city' | 'region', string | undefined>

/** The place of these names, as all places are written. */
export function placeNamed(names: PlaceNames): Place {
  const country = countryOf(names.country)
  const city = cityOf(names.city)
  const region = city === null ? undefined : regionCode(country, names.region)
  return { country, city: region === undefined ? city : `${city}, ${region}` }
}

/** What distinguishes towns of the same name. */
export interface Whereabouts {
  region: string | null
  latitude: number
  longitude: number
}

/**
 * Returns where a place is, if its name may be ambiguous; undefined when the name has its region already, or without data.
 * @throws when the file is damaged there, or cannot be read
 */
export function whereaboutsAt({ data }: Data, offset: number, { country, city }: Place): Whereabouts | undefined {
  if (city === null || country === null || hasRegions(country)) return undefined
  const latitude = numberAt(data, offset, latitudePaths)
  const longitude = numberAt(data, offset, longitudePaths)
  if (latitude === undefined || longitude === undefined) return undefined
  return { region: cityOf(textAt(data, offset, regionNamePaths)), latitude, longitude }
}

function textAt(data: Mmdb['data'], offset: number, paths: string[][]): string | undefined {
  for (const path of paths) {
    const text = data.text(offset, path)
    if (text !== undefined) return text
  }
  return undefined
}

function numberAt(data: Mmdb['data'], offset: number, paths: string[][]): number | undefined {
  for (const path of paths) {
    const number = data.number(offset, path)
    if (number !== undefined && Math.abs(number) <= 180) return number
  }
  return undefined
}

function countryOf(code: string | undefined): string | null {
  // Older files use EU and AP for regions, and ZZ and XX for "unknown".
  return code !== undefined && /^(?!EU|AP|ZZ|XX)[A-Z]{2}$/.test(code) ? code : null
}

/**
 * Cleans a name, which comes from a third party's file and goes into pages and spreadsheets. Removes the district that
 * databases append in parentheses, in brackets or as a number: it would reveal more about a visitor than a city does, and
 * split the counts of the city.
 */
function cityOf(name = ''): string | null {
  const spaced = name
    .slice(0, LONGEST_CITY)
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
  const clean = spaced.replace(/\p{C}+/gu, '').trim()
  const numbered = numberedDistrict.exec(clean)?.[1]
  if (numbered !== undefined) return numbered === 'Praha' ? 'Prague' : numbered
  const district = clean.search(/ [([]/)
  if (district < 0) return clean || null
  return namedByRiver.exec(clean)?.[0] ?? clean.slice(0, district)
}

function codesOf(list: string): Map<string, string> {
  return new Map(
    list.split(',').flatMap((entry) => {
      const [code = '', ...words] = entry.split(' ')
      return [
        [code, code],
        [words.join(' ').toLowerCase(), code],
      ]
    }),
  )
}

/** Whether cities of a country are named with their regions. */
function hasRegions(country: string): boolean {
  return Object.hasOwn(regions, country)
}

/** The code of a region, by its code or its name; undefined in countries whose cities are named without. */
function regionCode(country: string | null, region: string | undefined): string | undefined {
  if (country === null || region === undefined || !hasRegions(country)) return undefined
  return regions[country]?.get(region) ?? regions[country]?.get(region.toLowerCase())
}
