import type { KeptStorage } from '../my-links/kept-links.ts'

/** The storage of this browser; where a person has forbidden it, even naming it throws. */
export const keptStorage: KeptStorage = {
  getItem: (key) => localStorage.getItem(key),
  setItem: (key, value) => localStorage.setItem(key, value),
  removeItem: (key) => localStorage.removeItem(key),
}
