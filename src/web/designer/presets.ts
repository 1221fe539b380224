import type { Design } from '../../qr/design/schema.ts'

/** What a preset or a palette sets; a member that is undefined is removed from the design. */
export type Look = Pick<
  Design,
  'shape' | 'eye_frame' | 'eye_ball' | 'fg' | 'bg' | 'gradient' | 'eye_frame_color' | 'eye_ball_color'
>

/** Whole looks. Each is checked to scan well. */
export const presets = {
  classic: { shape: 'square', eye_frame: 'square', eye_ball: 'square', fg: '#000000', bg: '#ffffff' },
  soft: { shape: 'rounded', eye_frame: 'rounded', eye_ball: 'rounded', fg: '#10281f', bg: '#fbfaf5' },
  ink: { shape: 'classy', eye_frame: 'leaf', eye_ball: 'leaf', fg: '#1d2f5e', bg: '#ffffff' },
  basil: { shape: 'dots', eye_frame: 'circle', eye_ball: 'circle', fg: '#0b5a3c', bg: '#f3faf4' },
  berry: {
    shape: 'rounded',
    eye_frame: 'rounded',
    eye_ball: 'circle',
    bg: '#ffffff',
    gradient: { type: 'linear', from: '#7a1257', to: '#2b1a72', angle: 45 },
  },
  copper: {
    shape: 'diamond',
    eye_frame: 'square',
    eye_ball: 'rounded',
    bg: '#fff8ef',
    gradient: { type: 'radial', from: '#8a3b12', to: '#4a1d0b' },
  },
} as const satisfies Record<string, Look>

export type PresetName = keyof typeof presets

/** Colours alone: of the code, and of the paper. */
export const palettes = {
  black: { fg: '#000000', bg: '#ffffff' },
  slate: { fg: '#263238', bg: '#f5f7f8' },
  navy: { fg: '#12264f', bg: '#f4f7ff' },
  forest: { fg: '#0e4a2f', bg: '#f2faf5' },
  wine: { fg: '#6a1232', bg: '#fff5f8' },
  rust: { fg: '#7a2e0e', bg: '#fff7f0' },
  plum: { fg: '#452063', bg: '#faf5ff' },
  coffee: { fg: '#3e2723', bg: '#faf6f1' },
} as const satisfies Record<string, Look>

export type PaletteName = keyof typeof palettes

/** The members that each of them sets. */
const colours = ['fg', 'bg', 'gradient', 'eye_frame_color', 'eye_ball_color'] as const
const all = [...colours, 'shape', 'eye_frame', 'eye_ball'] as const

/** The look with this name, with null for what it removes; undefined for an unknown name. */
export function lookOf(name: string): Record<string, unknown> | undefined {
  const [list, members] = Object.hasOwn(presets, name) ? [presets, all] : [palettes, colours]
  if (!Object.hasOwn(list, name)) return undefined
  const look = (list as Record<string, Look>)[name] ?? {}
  return Object.fromEntries(members.map((member) => [member, look[member] ?? null]))
}

/** A design with that look. */
export function withLook(design: Design, look: Record<string, unknown>): Design {
  const merged = { ...design, ...look }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null))
}
