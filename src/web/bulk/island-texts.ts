import { bulkIslandTexts } from '../../texts/bulk-island.ts'
import { bulkTexts } from '../../texts/bulk.ts'
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
  return { ...shared, copied: copyingTexts[language].copied, ...bulkIslandTexts[language] }
}

export type IslandTexts = ReturnType<typeof islandTexts>
