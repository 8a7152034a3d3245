const VOWELS = new Set('aeiouy')

/** Irregular forms without a suffix rule. */
const IRREGULAR_STEMS = new Map(
  Object.entries({
    people: 'person',
    children: 'child',
    men: 'man',
    women: 'woman',
    feet: 'foot',
    teeth: 'tooth',
    mice: 'mouse',
    indices: 'index',
    vertices: 'vertex',
    matrices: 'matrix',
    criteria: 'criterion',
    analyses: 'analys',
    analysis: 'analys',
    analyze: 'analys',
    analyse: 'analys',
    analyzing: 'analys',
    weighs: 'weight',
    weighing: 'weight',
    bought: 'buy',
    sold: 'sell',
    found: 'find',
    sent: 'send',
    written: 'write',
    wrote: 'write',
    made: 'make',
    spent: 'spend',
    paid: 'pay',
    flies: 'fly',
    multiplication: 'multipli',
    multiply: 'multipli',
    deletion: 'delet',
    conversion: 'convert',
    subscription: 'subscrib',
    division: 'divid',
    divide: 'divid',
    news: 'news',
    note: 'note',
    notes: 'note',
    state: 'state',
    states: 'state',
    taller: 'tall',
    longer: 'long',
  }),
)

/** Endings and their replacements: inflections and derivations of nouns from verbs. The first match counts. */
const ENDINGS: [ending: string, replacement: string, minimumStem: number][] = [
  ['izations', 'iz', 3],
  ['ization', 'iz', 3],
  ['ational', 'at', 3],
  ['ations', 'at', 3],
  ['ation', 'at', 3],
  ['ators', 'at', 3],
  ['ator', 'at', 3],
  ['ities', 'ity', 2],
  ['ments', '', 4],
  ['ment', '', 4],
  ['ness', '', 3],
  ['ings', '', 3],
  ['ions', '', 3],
  ['ing', '', 3],
  ['ion', '', 3],
  ['ies', 'y', 2],
  ['ied', 'y', 2],
  ['sses', 'ss', 1],
  ['ches', 'ch', 1],
  ['shes', 'sh', 1],
  ['xes', 'x', 1],
  ['ers', '', 4],
  ['ors', '', 4],
  ['ed', '', 3],
  ['ly', '', 4],
  ['er', '', 4],
  ['or', '', 4],
]

/** Common form of related words: "calculates", "calculation" and "calculator" have the same stem. Linear. */
export function stem(word: string): string {
  const lower = word.toLowerCase()
  const known = IRREGULAR_STEMS.get(lower)
  if (known) return known
  if (lower.length < 4 || !isPlainWord(lower)) return lower
  let result = singular(lower)
  for (const [ending, replacement, minimum] of ENDINGS) {
    if (!result.endsWith(ending) || result.length - ending.length < minimum) continue
    const base = result.slice(0, -ending.length)
    if (replacement === '' && !hasVowel(base)) continue
    result = undouble(base) + replacement
    break
  }
  return result.length > 3 && result.endsWith('e') ? result.slice(0, -1) : yToI(result)
}

function singular(word: string): string {
  if (!word.endsWith('s') || word.endsWith('ss') || word.endsWith('us') || word.endsWith('is')) return word
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`
  if (['sses', 'ches', 'shes', 'xes'].some(ending => word.endsWith(ending))) return word.slice(0, -2)
  return word.slice(0, -1)
}

/** Removes a doubled last letter: "running" becomes "runn", then "run". */
function undouble(word: string): string {
  const last = word.at(-1)
  if (word.length < 4 || last !== word.at(-2) || VOWELS.has(last!) || last === 's' || last === 'l')
    return word
  return word.slice(0, -1)
}

function yToI(word: string): string {
  return word.length > 3 && word.endsWith('y') && !VOWELS.has(word.at(-2)!) ? `${word.slice(0, -1)}i` : word
}

function hasVowel(word: string): boolean {
  for (const letter of word) if (VOWELS.has(letter)) return true
  return false
}

function isPlainWord(word: string): boolean {
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i)
    if (code < 97 || code > 122) return false
  }
  return true
}

/** The words of an identifier. "getUserInfo", "get_user-info" and "get.user/info" give get, user, info. */
export function identifierWords(name: string): string[] {
  const words: string[] = []
  let current = ''
  const flush = () => {
    if (current) words.push(current.toLowerCase())
    current = ''
  }
  for (let i = 0; i < name.length; i++) {
    const letter = name[i]!
    if (!isWordLetter(letter)) flush()
    else {
      if (startsWord(name, i)) flush()
      current += letter
    }
  }
  flush()
  return words
}

function startsWord(name: string, i: number): boolean {
  const letter = name[i]!
  const before = name[i - 1] ?? ''
  if (isDigit(letter) !== isDigit(before) && before !== '') return true
  if (!isUpper(letter)) return false
  const after = name[i + 1] ?? ''
  return !isUpper(before) || (after !== '' && !isUpper(after) && isWordLetter(after) && !isDigit(after))
}

export function isDigit(letter: string): boolean {
  return letter >= '0' && letter <= '9'
}

export function isUpper(letter: string): boolean {
  return letter !== letter.toLowerCase() && letter === letter.toUpperCase()
}

export function isLetter(letter: string): boolean {
  return letter.toLowerCase() !== letter.toUpperCase() || (letter > '\u02ff' && /\p{L}/u.test(letter))
}

function isWordLetter(letter: string): boolean {
  return isDigit(letter) || isLetter(letter)
}
