/** Endings of files that are no top-level domains. */
const endings = new Set(
  'pdf doc docx xls xlsx ppt pptx odt ods odp rtf txt csv jpg jpeg png gif webp heic svg tif tiff html htm php mp3 mp4 avi'.split(
    ' ',
  ),
)

/** The host of an address, if it is the name of a file that somebody has typed as one: `menu.pdf`. */
export function fileHost(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const { hostname } = new URL(address)
  return endings.has(hostname.slice(hostname.lastIndexOf('.') + 1)) ? hostname : undefined
}
