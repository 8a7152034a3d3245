/** Rough upper bound of the steps that a match takes, by the length of the text. */
export function estimateSteps(source: string): (length: number) => number {
  const bare = source.replace(/\\./gs, 'x').replace(/\[[^\]]*\]/g, 'x')
  const choices = countChoices(bare)
  // A repeated group may be exponential, even if it has only one alternative: `(a+)+`.
  if (/\)(?:[*+]|\{\d)/.test(bare)) return length => Math.max(2, choices) ** length
  const isAnchored = bare.startsWith('^') && !bare.includes('|')
  const degree = (bare.match(/[*+]|\{\d+,/g)?.length ?? 0) + (isAnchored ? 0 : 1)
  return length => length ** degree * choices
}

/** Combinations of alternatives and optional parts: 8 for `(a|b)(c|d)e?`. A match may try each, even without repetition. */
function countChoices(bare: string): number {
  const alternatives = bare.split(/[()]/).map(part => part.split('|').length)
  const optional = bare.match(/[^(*+?}]\?/g)?.length ?? 0
  return alternatives.reduce((product, count) => product * count, 2 ** optional)
}
