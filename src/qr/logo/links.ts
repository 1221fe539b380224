import { outside } from './look.ts'
import { referenceOf } from './reference.ts'
import { XmlError, type XmlElement } from './xml-reader.ts'

/** What the elements of a drawing refer to: gradients and clip paths in it. */
export interface Links {
  /** The id of an element, and what a gradient has its stops from, as they are written. */
  attributes: (element: XmlElement) => string
  /** A value with `url(#…)`, as it is written; a colour behind it is taken when nothing has that id. */
  paint: (name: string, value: string) => string
  /** The clip paths that were written, each as often as it was. */
  clipUses: string[]
}

/** The most gradients that have their stops from each other. */
const MAX_CHAIN = 10

export function isGradient({ name }: XmlElement): boolean {
  return name === 'linearGradient' || name === 'radialGradient'
}

/**
 * Finds what can be referred to. Ids are written as numbers behind a hash of the drawing, so that two of them on one page do
 * not take each other's gradients.
 * @throws {XmlError} for an id that two have; as its functions do, for what leads nowhere, outside or in a circle
 */
export function linksOf(root: XmlElement, text: string): Links {
  const targets = targetsIn(root)
  const hash = targets.size > 0 ? hashOf(text) : ''
  const ids = new Map([...targets.keys()].map((id, index) => [id, `logo-${hash}-${index}`]))
  const clipUses: string[] = []
  return {
    clipUses,
    attributes(element) {
      const id = element.attributes.get('id') ?? ''
      const own = targets.get(id) === element ? ` id="${ids.get(id)}"` : ''
      const href = isGradient(element) ? hrefOf(element) : undefined
      if (href === undefined) return own
      requireEnd(element, targets)
      return `${own} href="#${ids.get(href)}"`
    },
    paint(name, value) {
      const reference = referenceOf(value)
      if (reference === undefined) throw outside()
      const { id, rest } = reference
      const target = targets.get(id)
      if (target && isGradient(target) === (name !== 'clip-path')) {
        if (name === 'clip-path') clipUses.push(id)
        return `url(#${ids.get(id)})${rest === '' ? '' : ` ${rest}`}`
      }
      if (rest !== '') return rest
      throw new XmlError(`refers to #${id}, but holds no such ${name === 'clip-path' ? 'clip path' : 'gradient'}`)
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

function requireEnd(gradient: XmlElement, targets: ReadonlyMap<string, XmlElement>): void {
  let at = gradient
  for (let links = 0; ; links++) {
    const href = hrefOf(at)
    if (href === undefined) return
    const target = targets.get(href)
    if (target === undefined || !isGradient(target)) {
      throw new XmlError(`refers to #${href}, but holds no such gradient`)
    }
    if (links === MAX_CHAIN)
      throw new XmlError(`has gradients that refer to each other in a circle, or ${MAX_CHAIN} times`)
    at = target
  }
}

function hrefOf({ attributes }: XmlElement): string | undefined {
  return (attributes.get('href') ?? attributes.get('xlink:href'))?.trim().slice(1)
}

/** FNV-1a of 32 bits: the same for the same drawing, another for another one. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0).toString(36)
}
