/**
 * Probabilities for k runs that are drawn from n runs, c of which passed: at least one of the k passed (pass@k,
 * https://arxiv.org/abs/2107.03374), or all of them did (pass^k, https://arxiv.org/abs/2406.12045).
 */
export function passAt(k: number, runs: number, passed: number): number {
  return 1 - choose(runs - passed, k) / choose(runs, k)
}

export function passAll(k: number, runs: number, passed: number): number {
  return choose(passed, k) / choose(runs, k)
}

/** 1, 2, 4, 8 … and the number of runs. */
export function kValues(runs: number): number[] {
  const powers = Array.from({ length: 10 }, (_, exponent) => 2 ** exponent).filter(k => k < runs)
  return [...powers, runs]
}

/** Binomial coefficient, or 0 if k is too large. A product of ratios, because factorials overflow. */
function choose(of: number, k: number): number {
  if (k > of) return 0
  let result = 1
  for (let step = 1; step <= k; step++) result *= (of - k + step) / step
  return result
}
