/** Fills the places `{name}` of a text with values; a text of the catalogue in this form can be sent to a browser. */
export function fillText(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place))
}
