/** Shared code. In `tools/`, `resources/` and `prompts/`, it needs a subfolder or a name that starts with `_`. */
export function roll(count: number, sides: number): { dice: number[]; sum: number } {
  const dice = Array.from({ length: count }, () => 1 + Math.floor(Math.random() * sides))
  return { dice, sum: dice.reduce((sum, one) => sum + one, 0) }
}

/** Probability of each sum of two dice, in ascending order of the sum. */
export function oddsOfTwo(sides: number): { sum: number; chance: number }[] {
  return Array.from({ length: 2 * sides - 1 }, (_, index) => {
    const ways = index < sides ? index + 1 : 2 * sides - 1 - index
    return { sum: index + 2, chance: ways / sides ** 2 }
  })
}
