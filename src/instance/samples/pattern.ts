export interface PatternChoices {
  /** Picks among alternatives and characters. */
  seed: number
  /** How often beyond its least count an unbounded quantifier repeats. */
  extra: number
}

/** A text that a JavaScript pattern (ECMA-262, flag `u`) matches; undefined when none was found. */
export function samplePattern(pattern: string, choices: PatternChoices): string | undefined {
  const { seed, extra } = choices
  const matches = new RegExp(pattern, 'u')
  for (const attempt of [
    choices,
    { seed, extra: 0 },
    { seed: 0, extra },
    { seed: seed + 1, extra: extra + 1 },
  ]) {
    const text = new PatternReader(pattern, attempt).read()
    if (matches.test(text)) return text
  }
  return undefined
}

const CANDIDATES = [...'a1A0b_-. /:@#', 'é', '"']
const MAX_REPEATS = 1000
/** Kinds of characters and one that belongs to each. */
const CLASSES: Record<string, string> = { d: '1', D: 'a', w: 'a', W: '-', s: ' ', S: 'a' }
const CONTROLS: Record<string, string> = { n: '\n', r: '\r', t: '\t', f: '\f', v: '\v', '0': '\0' }

/** Reads a pattern from left to right and writes what it asks for. Assertions are left to the final test. */
class PatternReader {
  readonly #pattern: string
  readonly #choices: PatternChoices
  readonly #groups: string[] = []
  #at = 0

  constructor(pattern: string, choices: PatternChoices) {
    this.#pattern = pattern
    this.#choices = choices
  }

  /** Alternatives up to the end of the pattern or of the group. */
  read(): string {
    const alternatives = [this.#readSequence()]
    while (this.#take('|')) alternatives.push(this.#readSequence())
    return alternatives[this.#choices.seed % alternatives.length]!
  }

  #readSequence(): string {
    let text = ''
    while (this.#at < this.#pattern.length && !'|)'.includes(this.#pattern[this.#at]!)) {
      const atom = this.#readAtom()
      text += atom.repeat(this.#readCount())
    }
    return text
  }

  #readAtom(): string {
    const character = this.#next()
    switch (character) {
      case '(':
        return this.#readGroup()
      case '[':
        return this.#readClass()
      case '\\':
        return this.#readEscape()
      case '.':
        return 'a'
      case '^':
      case '$':
        return ''
      default:
        return character
    }
  }

  #readGroup(): string {
    const isAssertion = this.#take('?=') || this.#take('?!') || this.#take('?<=') || this.#take('?<!')
    const isCapture = !isAssertion && !this.#take('?:')
    if (this.#take('?<')) this.#at = this.#pattern.indexOf('>', this.#at) + 1
    const index = isCapture ? this.#groups.push('') - 1 : -1
    const text = this.read()
    this.#take(')')
    if (isCapture) this.#groups[index] = text
    return isAssertion ? '' : text
  }

  /** A character of a class: found by trying, so that every kind of class is understood. */
  #readClass(): string {
    const start = this.#at - 1
    while (this.#pattern[this.#at] !== ']') this.#at += this.#pattern[this.#at] === '\\' ? 2 : 1
    this.#at++
    const source = this.#pattern.slice(start, this.#at)
    const belongs = new RegExp(`^${source}$`, 'u')
    const letters = [...source.slice(1, -1)].filter(letter => letter !== '\\')
    const fitting = [...new Set([...letters, ...CANDIDATES])].filter(letter => belongs.test(letter))
    return fitting[this.#choices.seed % fitting.length] ?? ''
  }

  #readEscape(): string {
    const kind = this.#next()
    if (kind in CLASSES) return CLASSES[kind]!
    if (kind in CONTROLS) return CONTROLS[kind]!
    if (kind === 'b' || kind === 'B') return ''
    if (kind === 'x') return this.#readCode(2)
    if (kind === 'u') return this.#readCode(4)
    if (kind === 'p' || kind === 'P') return this.#readProperty(kind)
    if (/[1-9]/.test(kind)) return this.#groups[Number(kind) - 1] ?? ''
    return kind
  }

  #readCode(digits: number): string {
    const [, braced] = /^\{([0-9a-f]+)\}/i.exec(this.#pattern.slice(this.#at)) ?? []
    const code = braced ?? this.#pattern.slice(this.#at, this.#at + digits)
    this.#at += braced ? braced.length + 2 : digits
    return String.fromCodePoint(Number.parseInt(code, 16))
  }

  #readProperty(kind: string): string {
    const end = this.#pattern.indexOf('}', this.#at) + 1
    const belongs = new RegExp(`^\\${kind}${this.#pattern.slice(this.#at, end)}$`, 'u')
    this.#at = end
    return CANDIDATES.find(letter => belongs.test(letter)) ?? ''
  }

  #readCount(): number {
    const [whole, symbol, least, comma, most] =
      /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(this.#pattern.slice(this.#at)) ?? []
    if (whole === undefined) return 1
    this.#at += whole.length
    const { extra } = this.#choices
    if (symbol !== undefined) return symbol === '?' ? Math.min(1, extra) : (symbol === '+' ? 1 : 0) + extra
    const start = Number(least)
    if (!comma) return start
    return Math.min(start + extra, most ? Number(most) : MAX_REPEATS)
  }

  #next(): string {
    const character = String.fromCodePoint(this.#pattern.codePointAt(this.#at)!)
    this.#at += character.length
    return character
  }

  #take(text: string): boolean {
    if (!this.#pattern.startsWith(text, this.#at)) return false
    this.#at += text.length
    return true
  }
}
