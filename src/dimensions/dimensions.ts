import { answer } from './answer.ts'
import { browser } from './browser.ts'
import { city } from './city.ts'
import { country } from './country.ts'
import { device } from './device.ts'
import type { Condition, Dimension, Visit } from './dimension.ts'
import { os } from './os.ts'
import { placement } from './placement.ts'
import { referrer } from './referrer.ts'
import { source } from './source.ts'

const list = [source, device, os, browser, country, city, referrer, answer, placement] as const

type Listed = (typeof list)[number]
export type DimensionName = Listed['name']

/** The values of a scan, by dimension; unknown is null. */
export type Values = { [D in Listed as D['name']]: ReturnType<D['read']> }

/** The dimensions of the statistics. Stores and journals hold the index into this list: append only. */
export const dimensions: readonly Dimension<DimensionName, Values[DimensionName]>[] = list
export const dimensionNames: readonly DimensionName[] = list.map(({ name }) => name)

/** The number of a dimension. */
export const numberOf = (name: DimensionName): number => dimensionNames.indexOf(name)

/** The numbers of the dimensions of which rollups count every scan; those of which they only count scans with a value. */
export const fullNumbers: readonly number[] = [...dimensions.keys()].filter((at) => dimensions[at]?.rest === undefined)
export const sparseNumbers: readonly number[] = [...dimensions.keys()].filter((at) => !fullNumbers.includes(at))

/** Whether rollups do not count the scans without a value. */
export const isSparse: readonly boolean[] = dimensions.map(({ rest }) => rest !== undefined)

/** The names of the dimensions on which rules may depend. */
type Ruled = Extract<Listed, { condition: object }>
export type ConditionName = Ruled['name']

/** The conditions of rules, by dimension. */
export const conditions: readonly { name: ConditionName; condition: Condition }[] = list.flatMap(
  ({ name, condition }) => (condition === undefined ? [] : [{ name, condition }]),
)

/** What a rule has of each condition. */
export type ConditionValues = {
  [D in Ruled as D['name']]: D['condition'] extends { one: true } ? NonNullable<ReturnType<D['read']>> : string[]
}

// The three that follow are written out, because visits and the fold call them for each scan: a loop over the names takes twice as
// long (docs/adr/0076-dimensions.md). Their types demand each dimension.

/** Reads the values of a visit. */
export function readValues(visit: Visit): Values {
  return {
    source: source.read(visit),
    device: device.read(visit),
    os: os.read(visit),
    browser: browser.read(visit),
    country: country.read(visit),
    city: city.read(visit),
    referrer: referrer.read(visit),
    answer: answer.read(visit),
    placement: placement.read(visit),
  }
}

type ListingOf<List extends readonly unknown[]> = {
  -readonly [At in keyof List]: List[At] extends { name: infer Name extends DimensionName } ? Values[Name] : never
}

/** The values of a scan, in the order of the dimensions. */
export type Listing = ListingOf<typeof list>

export function listValues(scan: Values): Listing {
  return [
    scan.source,
    scan.device,
    scan.os,
    scan.browser,
    scan.country,
    scan.city,
    scan.referrer,
    scan.answer,
    scan.placement,
  ]
}

/** What `listValues` lists. */
export function valuesOf(listed: Listing): Values {
  const [
    sourceValue,
    deviceValue,
    osValue,
    browserValue,
    countryValue,
    cityValue,
    referrerValue,
    answerValue,
    placementValue,
  ] = listed
  return {
    source: sourceValue,
    device: deviceValue,
    os: osValue,
    browser: browserValue,
    country: countryValue,
    city: cityValue,
    referrer: referrerValue,
    answer: answerValue,
    placement: placementValue,
  }
}

/** The texts of a scan's values that stores hold, in the order of the dimensions; null for an unknown one. */
export function textsOf(scan: Values): (string | null)[] {
  return listValues(scan).map((value, at) => dimensions[at]?.text(value, scan) ?? null)
}
