import { dataUriOf, MAX_LOGO_BYTES, TOO_LARGE } from '../../qr/logo/logo.ts'

/** A logo that the owner has chosen and not sent yet. */
export interface ChosenLogo {
  /** Its data URI; empty when none was chosen. */
  uri: string
  /** Why the file cannot be used, to follow "The logo". */
  fault: string | undefined
}

export const noLogo: ChosenLogo = { uri: '', fault: undefined }

export async function readChosenLogo(file: File | undefined): Promise<ChosenLogo> {
  if (file === undefined) return noLogo
  if (file.size > MAX_LOGO_BYTES) return { uri: '', fault: TOO_LARGE }
  try {
    return { uri: dataUriOf(new Uint8Array(await file.arrayBuffer())), fault: undefined }
  } catch {
    return { uri: '', fault: 'can no longer be read: choose it again' }
  }
}
