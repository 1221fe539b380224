import { dataUriOf, MAX_LOGO_BYTES, TOO_LARGE, MAX_LOGO_SIDE } from '../../qr/logo/logo.ts'

/** Sides to try, in pixels: a printed code shows a logo of 1,024 with far more detail than a scanner or a person sees. */
const SIDES = [1024, 512, 256]
const QUALITY = 0.85

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

/**
 * A picture that is larger than a logo may be, made smaller, such as the photo of a phone; undefined for one that needs not
 * be, or that the browser does not read as a picture. The browser turns it as its orientation says, and drops its metadata.
 */
async function shrinkLogo(file: File): Promise<File | undefined> {
  const picture = await createImageBitmap(file).catch(() => undefined)
  if (picture === undefined) return undefined
  const side = Math.max(picture.width, picture.height)
  if (file.size <= MAX_LOGO_BYTES && side <= MAX_LOGO_SIDE) return undefined
  for (const most of SIDES) {
    const scale = Math.min(1, most / side)
    const blob = await drawn(picture, scale, file.type === 'image/jpeg' ? 'image/jpeg' : 'image/png')
    if (blob !== null && blob.size <= MAX_LOGO_BYTES) return new File([blob], file.name, { type: blob.type })
  }
  return undefined
}

function drawn(picture: ImageBitmap, scale: number, type: string): Promise<Blob | null> {
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(picture.width * scale))
  canvas.height = Math.max(1, Math.round(picture.height * scale))
  const context = canvas.getContext('2d')
  if (context === null) return Promise.resolve(null)
  context.imageSmoothingQuality = 'high'
  context.drawImage(picture, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve) => canvas.toBlob(resolve, type, QUALITY))
}
