/** The round numbers of an axis from 0, at least as high as the largest value; at most `most` steps. */
export function roundTicks(largest: number, most = 4): number[] {
  const rough = Math.max(1, largest) / most
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(1, ([1, 2, 5].find((each) => each * power >= rough) ?? 10) * power)
  return Array.from({ length: Math.ceil(Math.max(1, largest) / step) + 1 }, (_, at) => at * step)
}
