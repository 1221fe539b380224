import { bulkIslandTexts } from '../../texts/bulk-island.ts'
import { bulkTexts } from '../../texts/bulk.ts'
import { collectionTexts } from '../../texts/collection.ts'
import { designFaultTexts } from '../../texts/design-faults.ts'
import { keepTexts } from '../../texts/keep.ts'
import { copyingTexts } from '../../texts/copying.ts'
import type { Language } from '../../texts/language.ts'

/** All that the script says. */
export function islandTexts(language: Language) {
  const {
    fields,
    faults,
    problems,
    notes,
    done,
    keysTitle,
    keys,
    trimmedRows,
    downloadCsv,
    downloadZip,
    sheet,
    shortLink,
    edit,
    key,
  } = bulkTexts[language]
  const shared = {
    fields,
    faults,
    problems,
    notes,
    done,
    keysTitle,
    keys,
    trimmedRows,
    downloadCsv,
    downloadZip,
    sheet,
    shortLink,
    edit,
    key,
  }
  return {
    ...shared,
    copied: copyingTexts[language].copied,
    ...bulkIslandTexts[language],
    ...textsOfParts(language),
  }
}

export type IslandTexts = ReturnType<typeof islandTexts>

function textsOfParts(language: Language) {
  return {
    together: togetherTexts(language),
    look: bulkTexts[language].look,
    designFaults: designFaultTexts[language],
  }
}

function togetherTexts(language: Language) {
  const { keep, unnamed } = collectionTexts[language]
  return {
    ...bulkTexts[language].together,
    ...bulkIslandTexts[language].together,
    unnamed,
    send: keepTexts[language].send,
    // What they are of is filled in by the script.
    message: keep.message('{name}', '{address}'),
    fileName: keep.fileName('{name}'),
  }
}
