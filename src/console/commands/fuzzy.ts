const WORD_START = 500

/**
 * Score of a text for a query. Undefined if the text does not match. Each word of the query must be in the text, or at least its
 * letters in their order. Matches at the start of a word and near the start of the text score higher.
 */
export function fuzzyScore(query: string, text: string): number | undefined {
  const lower = text.toLowerCase()
  let total = 0
  for (const word of query.toLowerCase().split(/\s+/).filter(Boolean)) {
    const score = wordScore(word, lower)
    if (score === undefined) return undefined
    total += score
  }
  return total
}

function wordScore(word: string, text: string): number | undefined {
  const index = text.indexOf(word)
  if (index === -1) return scatteredScore(word, text)
  const isStart = index === 0 || /[^\p{L}\p{N}]/u.test(text[index - 1]!)
  return 1000 + (isStart ? WORD_START : 0) - index
}

/** Letters that are close to each other score higher. */
function scatteredScore(word: string, text: string): number | undefined {
  let [first, last] = [-1, -1]
  for (const letter of word) {
    last = text.indexOf(letter, last + 1)
    if (last === -1) return undefined
    if (first === -1) first = last
  }
  return word.length - (last - first)
}
