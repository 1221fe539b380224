import type { Scannability } from '../../qr/design/job.ts'

const grades: readonly string[] = ['excellent', 'good', 'fair', 'poor'] satisfies Scannability[]

/** How well a saved image scans, which its header says. The page shows the image, so that the browser has it already. */
export async function readScannability(image: string): Promise<Scannability | undefined> {
  try {
    const { headers } = await fetch(image)
    const grade = headers.get('qr-scannability') ?? ''
    return grades.includes(grade) ? (grade as Scannability) : undefined
  } catch {
    return undefined
  }
}
