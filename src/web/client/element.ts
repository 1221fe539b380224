/** Creates an element with a class and a text. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className = '',
  text = '',
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  if (className !== '') made.className = className
  if (text !== '') made.textContent = text
  return made
}

const svg = 'http://www.w3.org/2000/svg'

/** Creates a picture of lines, on a field of 16 by 16; it says nothing to screen readers. */
export function icon(lines: string): SVGElement {
  const picture = document.createElementNS(svg, 'svg')
  picture.setAttribute('viewBox', '0 0 16 16')
  picture.setAttribute('aria-hidden', 'true')
  const path = document.createElementNS(svg, 'path')
  path.setAttribute('d', lines)
  picture.append(path)
  return picture
}
