/** Red, green and blue, 0 to 255 each. */
export type Rgb = readonly [red: number, green: number, blue: number]

/** The relative luminance of a colour (WCAG 2), 0 to 1. */
export function luminance([red, green, blue]: Rgb): number {
  const linear = (value: number) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

/** The contrast ratio of two colours (WCAG 2), 1 to 21. */
export function contrastRatio(one: Rgb, other: Rgb): number {
  const [a, b] = [luminance(one), luminance(other)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

export const black: Rgb = [0, 0, 0]
export const white: Rgb = [255, 255, 255]

/** @param color `#rrggbb` */
export function rgbOf(color: string): Rgb {
  const part = (at: number) => Number.parseInt(color.slice(at, at + 2), 16)
  return [part(1), part(3), part(5)]
}

/** `#rrggbb` */
export function hexOf(color: Rgb): string {
  return `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

/** The colour of text on an area: of black and white the better one, whose contrast is at least 4.58 to any colour. */
export function inkOn(area: Rgb): Rgb {
  return contrastRatio(area, white) >= contrastRatio(area, black) ? white : black
}
