import { blur, fade, noise, shrink, type Gray } from './gray.ts'

/** Whether a decoder reads the expected bytes from an image. */
export type Reads = (image: Gray) => Promise<boolean>

/** How well an image can be scanned. */
export type Grade = 'excellent' | 'good' | 'fair'

/** A step of the stress test: how the image was degraded, and whether it could still be read. */
export interface Step {
  name: string
  /** The grade that requires the step. */
  grade: 'excellent' | 'good'
  read: boolean
}

/** Pixels of a module in the tested image. */
export const TEST_SCALE = 8

/** Degradations that photos of codes suffer, mild ones first. */
const stress: { name: string; grade: Step['grade']; apply: (image: Gray) => Gray }[] = [
  { name: 'small: 3 pixels a module', grade: 'good', apply: (image) => shrink(image, 3 / TEST_SCALE) },
  { name: 'blurred by a quarter of a module', grade: 'good', apply: (image) => blur(image, 2) },
  { name: 'noisy', grade: 'good', apply: (image) => noise(image, 40) },
  { name: 'half the contrast', grade: 'good', apply: (image) => fade(image, 0.5) },
  { name: 'small: 1.5 pixels a module', grade: 'excellent', apply: (image) => shrink(image, 1.5 / TEST_SCALE) },
  { name: 'blurred by half a module', grade: 'excellent', apply: (image) => blur(image, 3) },
  { name: 'very noisy', grade: 'excellent', apply: (image) => noise(image, 75) },
  { name: 'a tenth of the contrast', grade: 'excellent', apply: (image) => fade(image, 0.1) },
  {
    name: 'small, blurred, noisy and of low contrast at once',
    grade: 'excellent',
    apply: (image) => noise(fade(blur(shrink(image, 0.5), 1), 0.4), 10),
  },
]

/** Grades an image of `TEST_SCALE` pixels a module by all degradations that it survives. */
export async function gradeImage(image: Gray, reads: Reads): Promise<{ grade: Grade; steps: Step[] }> {
  const steps: Step[] = []
  for (const { name, grade, apply } of stress) steps.push({ name, grade, read: await reads(apply(image)) })
  const passes = (grade: Step['grade']) => steps.every((step) => step.read || step.grade !== grade)
  if (!passes('good')) return { grade: 'fair', steps }
  return { grade: passes('excellent') ? 'excellent' : 'good', steps }
}
