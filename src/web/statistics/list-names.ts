import { dimensionNames } from '../../dimensions/dimensions.ts'
import type { ListName } from './view.ts'

/** What the statistics of several links list beside the values of dimensions. */
const namesOfMany = ['link', 'campaign'] as const

export const listNames: readonly ListName[] = [...namesOfMany, ...dimensionNames]

/** The names of the lists of a link, or of several. */
export const listNamesOf = (isOfMany: boolean): readonly ListName[] => (isOfMany ? listNames : dimensionNames)
