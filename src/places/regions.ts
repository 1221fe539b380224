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
export function hasRegions(country: string): boolean {
  return Object.hasOwn(regions, country)
}

/** The code of a region, by its code or its name; undefined in countries whose cities are named without. */
export function regionCode(country: string | null, region: string | undefined): string | undefined {
  if (country === null || region === undefined || !hasRegions(country)) return undefined
  return regions[country]?.get(region) ?? regions[country]?.get(region.toLowerCase())
}
