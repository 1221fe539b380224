// The accuracy of the bundled places, for the table in docs/privacy.md: countries compared with the registries' data, for random
// addresses; cities compared with the locations of universities, whose old networks are known and have not moved.
import { createRequire } from 'node:module'
import { openBundled } from '../src/places/bundled.ts'
import { createFindPlace } from '../src/places/find.ts'
import { openMmdb } from '../src/places/mmdb.ts'
import { placesIn } from '../src/places/record.ts'
import { printTable } from './support.ts'

const SAMPLE = 100_000

/** The first two bytes of a university's network, and its city as the data spells it. */
const universities = `
18.9 US Cambridge, MA|128.112 US Princeton, NJ|171.64 US Stanford, CA|128.32 US Berkeley, CA|128.2 US Pittsburgh, PA|128.42 US Houston, TX
128.59 US New York, NY|128.95 US Seattle, WA|128.83 US Austin, TX|128.100 CA Toronto, ON|132.206 CA Montreal, QC|142.103 CA Vancouver, BC
131.111 GB Cambridge|129.67 GB Oxford|130.88 GB Manchester|129.215 GB Edinburgh|130.209 GB Glasgow|128.16 GB London
129.132 CH Zurich|130.60 CH Zurich|128.178 CH Lausanne|130.92 CH Bern|131.152 CH Basel|130.149 DE Berlin|160.45 DE Berlin
141.84 DE Munich|129.206 DE Heidelberg|131.220 DE Bonn|134.95 DE Cologne|137.226 DE Aachen|130.83 DE Darmstadt|129.13 DE Karlsruhe
130.75 DE Hanover|134.102 DE Bremen|141.30 DE Dresden|134.76 DE Gottingen|131.188 DE Erlangen|132.187 DE Wurzburg
131.130 AT Vienna|129.27 AT Graz|138.232 AT Innsbruck|130.37 NL Amsterdam|131.180 NL Delft|131.155 NL Eindhoven|130.89 NL Enschede
132.229 NL Leiden|129.125 NL Groningen|134.58 BE Leuven|157.193 BE Ghent|130.235 SE Lund|129.16 SE Gothenburg|130.238 SE Uppsala
129.240 NO Oslo|129.241 NO Trondheim|129.177 NO Bergen|128.214 FI Helsinki|130.233 FI Espoo|131.114 IT Pisa|130.192 IT Turin
131.175 IT Milan|147.83 ES Barcelona|147.32 CZ Prague|149.156 PL Krakow|128.250 AU Melbourne, VIC|129.78 AU Sydney, NSW
130.102 AU Brisbane, QLD|130.95 AU Perth, WA|130.54 JP Kyoto|130.34 JP Sendai|143.248 KR Daejeon|147.46 KR Seoul|166.111 CN Beijing
140.112 TW Taipei|137.132 SG Singapore|143.107 BR Sao Paulo|146.155 CL Santiago|132.248 MX Mexico City|137.158 ZA Cape Town|132.66 IL Tel Aviv`
  .trim()
  .split(/[|\n]/)
  .map((entry) => /^(?<network>\S+) (?<country>\S+) (?<city>.+)$/.exec(entry)?.groups ?? {})

const bundled = openBundled()
const find = createFindPlace(bundled)
const registries = createFindPlace([
  placesIn(
    openMmdb(
      createRequire(import.meta.url).resolve('@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb'),
    ),
  ),
])
const byte = () => Math.floor(Math.random() * 256)
const pair = () => (byte() * 256 + byte()).toString(16)
const v6Prefixes = ['2003', '2409', '2600', '2a02', '2a01', '2804', '2001', '2401']

const samples: Record<string, () => string> = {
  'IPv4, all addresses equally likely': () => `${1 + Math.floor(Math.random() * 223)}.${byte()}.${byte()}.${byte()}`,
  'IPv6, eight /16 networks equally likely': () =>
    `${v6Prefixes[byte() % v6Prefixes.length]}:${pair()}:${pair()}::${pair()}`,
}

const percent = (part: number, whole: number) => `${((part / whole) * 100).toFixed(1)} %`

printTable(
  `Countries: the bundled data against the registries' (${SAMPLE.toLocaleString('en')} random addresses each)`,
  Object.entries(samples).map(([what, draw]) => {
    let [known, both, same, city] = [0, 0, 0, 0]
    for (let index = 0; index < SAMPLE; index++) {
      const address = draw()
      const place = find(address)
      const { country } = registries(address)
      if (place.country !== null) known++
      if (place.city !== null) city++
      if (place.country !== null && country !== null) both++
      if (country !== null && place.country === country) same++
    }
    return {
      what,
      'country known': percent(known, SAMPLE),
      'of these with a city': percent(city, known),
      'same country as the registries': percent(same, both),
    }
  }),
)

let [countries, cities] = [0, 0]
for (const { network, country, city } of universities) {
  const place = find(`${network}.10.10`)
  if (place.country === country) countries++
  if (place.country === country && place.city === city) cities++
  else console.log(`${network}: ${place.country} ${place.city}, but the university is in ${country} ${city}`)
}
printTable('Cities: universities', [
  { universities: universities.length, 'correct country': countries, 'correct city': cities },
])
for (const { close } of bundled) close()
