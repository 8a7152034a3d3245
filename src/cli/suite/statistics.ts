/**
 * Of n runs of which c passed: the chance that at least one of k drawn ones passed
 * (pass@k, https://arxiv.org/abs/2107.03374) and that all of them did (pass^k, https://arxiv.org/abs/2406.12045).
 */
export function passAt(k: number, runs: number, passed: number): number {
  return 1 - choose(runs - passed, k) / choose(runs, k)
}

export function passAll(k: number, runs: number, passed: number): number {
  return choose(passed, k) / choose(runs, k)
}

/** For k of 1, 2, 4, 8 … and the number of runs itself. */
export function kValues(runs: number): number[] {
  const powers = Array.from({ length: 10 }, (_, exponent) => 2 ** exponent).filter(k => k < runs)
  return [...powers, runs]
}

/** Binomial coefficient; 0 when fewer are there than are chosen. A product of ratios stays small where factorials do not. */
function choose(of: number, k: number): number {
  if (k > of) return 0
  let result = 1
  for (let step = 1; step <= k; step++) result *= (of - k + step) / step
  return result
}
