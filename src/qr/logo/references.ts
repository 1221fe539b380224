import { externalReference } from './presentation.ts'
import { referenceOf } from './url-reference.ts'
import { XmlError, type XmlElement } from './xml-reader.ts'

/** References between the elements of a drawing, to gradients and clip paths. */
export interface References {
  /** The attributes `id` and `href` of an element, rewritten. */
  attributes: (element: XmlElement) => string
  /** A value with `url(#…)`, rewritten; its fallback colour when nothing has that id. */
  paint: (name: string, value: string) => string
}

/** The longest chain of gradients that inherit their stops. */
const MAX_CHAIN = 10

export function isGradient({ name }: XmlElement): boolean {
  return name === 'linearGradient' || name === 'radialGradient'
}

/**
 * Collects the elements that others can refer to. Ids are replaced by a hash of the drawing and a number, so that two
 * drawings on one page do not use each other's gradients.
 * @throws {XmlError} for a duplicate id; its functions throw for references to nothing, outside or in a circle
 */
export function referencesIn(root: XmlElement, text: string): References {
  const targets = targetsIn(root)
  const hash = targets.size > 0 ? hashOf(text) : ''
  const ids = new Map([...targets.keys()].map((id, index) => [id, `logo-${hash}-${index}`]))
  return {
    attributes(element) {
      const id = element.attributes.get('id') ?? ''
      const idAttribute = targets.get(id) === element ? ` id="${ids.get(id)}"` : ''
      const href = isGradient(element) ? hrefOf(element) : undefined
      if (href === undefined) return idAttribute
      requireShortChain(element, targets)
      return `${idAttribute} href="#${ids.get(href)}"`
    },
    paint(name, value) {
      const reference = referenceOf(value)
      if (reference === undefined) throw externalReference()
      const { id, rest } = reference
      const target = targets.get(id)
      if (target && isGradient(target) === (name !== 'clip-path')) {
        return `url(#${ids.get(id)})${rest === '' ? '' : ` ${rest}`}`
      }
      if (rest !== '') return rest
      throw new XmlError(`refers to #${id}, but has no such ${name === 'clip-path' ? 'clip path' : 'gradient'}`)
    },
  }
}

function targetsIn(root: XmlElement): Map<string, XmlElement> {
  const targets = new Map<string, XmlElement>()
  const visit = (element: XmlElement): void => {
    const id = element.attributes.get('id')
    if (id !== undefined && (isGradient(element) || element.name === 'clipPath')) {
      if (targets.has(id)) throw new XmlError(`has the id ${id} twice`)
      targets.set(id, element)
    }
    element.children.forEach(visit)
  }
  visit(root)
  return targets
}

function requireShortChain(gradient: XmlElement, targets: ReadonlyMap<string, XmlElement>): void {
  let at = gradient
  for (let links = 0; ; links++) {
    const href = hrefOf(at)
    if (href === undefined) return
    const target = targets.get(href)
    if (target === undefined || !isGradient(target)) {
      throw new XmlError(`refers to #${href}, but has no such gradient`)
    }
    if (links === MAX_CHAIN)
      throw new XmlError(`has gradients that refer to each other in a circle, or more than ${MAX_CHAIN} times`)
    at = target
  }
}

function hrefOf({ attributes }: XmlElement): string | undefined {
  return (attributes.get('href') ?? attributes.get('xlink:href'))?.trim().slice(1)
}

/** The 32-bit FNV-1a hash of a drawing. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0).toString(36)
}
