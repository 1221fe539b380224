import { sanitizeSvg } from '../../src/qr/logo/svg.ts'

export const svg = (inner: string, attributes = 'viewBox="0 0 8 8"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="32" height="32" ${attributes}>${inner}</svg>`

export const sheet = (css: string, inner: string) => svg(`<style>${css}</style>${inner}`)

export const rect = (attributes: string) => `<rect width="8" height="8" ${attributes}/>`

export const clean = (text: string) => sanitizeSvg(text).markup
