import { dataUriOf, MAX_LOGO_BYTES, TOO_LARGE } from '../../qr/logo/logo.ts'
import { shrinkLogo } from './shrink-logo.ts'

/** A logo that the owner has chosen and not sent yet. */
export interface ChosenLogo {
  /** Its data URI; empty when none was chosen. */
  uri: string
  /** Why the file cannot be used, to follow "The logo". */
  fault: string | undefined
  /** The file that the form is to send in place of the chosen one, which was too large. */
  smaller?: File
}

export const noLogo: ChosenLogo = { uri: '', fault: undefined }

export async function readChosenLogo(file: File | undefined): Promise<ChosenLogo> {
  if (file === undefined) return noLogo
  const smaller = await shrinkLogo(file)
  const used = smaller ?? file
  if (used.size > MAX_LOGO_BYTES) return { uri: '', fault: TOO_LARGE }
  try {
    const uri = dataUriOf(new Uint8Array(await used.arrayBuffer()))
    return { uri, fault: undefined, ...(smaller && { smaller }) }
  } catch {
    return { uri: '', fault: 'can no longer be read: choose it again' }
  }
}
