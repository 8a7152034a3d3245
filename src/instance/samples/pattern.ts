import { createPattern } from '../../shared/json/bounded-pattern.ts'

export interface PatternChoices {
  /** Selects alternatives and characters. */
  seed: number
  /** Number of repetitions above the minimum of a quantifier. */
  extra: number
}

/** A string that matches a JavaScript pattern (ECMA-262, flag `u`). Undefined when none was found. */
export function samplePattern(pattern: string, choices: PatternChoices): string | undefined {
  const { seed, extra } = choices
  const matches = createPattern(pattern, 'u')
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

/** Different kinds of characters, so that a repeated class yields several of them, as password patterns require. */
const CANDIDATES = [...'a1A-0bB_. /:@#', 'é', '"']
const MAX_REPEATS = 1000
/** Longer text is not repeated, because nested repetitions could exhaust the memory. */
const MAX_LENGTH = 10_000
const CLASSES = 'dDwWsS'
const CONTROLS: Record<string, string> = { n: '\n', r: '\r', t: '\t', f: '\f', v: '\v', '0': '\0' }

/** Reads a pattern from left to right and writes a matching text. `samplePattern` then checks the assertions. */
class PatternReader {
  readonly #pattern: string
  readonly #choices: PatternChoices
  readonly #groups: string[] = []
  readonly #named: Record<string, string> = {}
  #at = 0

  constructor(pattern: string, choices: PatternChoices) {
    this.#pattern = pattern
    this.#choices = choices
  }

  /** Reads alternatives up to the end of the pattern or group. */
  read(): string {
    const alternatives = [this.#readSequence()]
    while (this.#take('|')) alternatives.push(this.#readSequence())
    return alternatives[this.#choices.seed % alternatives.length]!
  }

  #readSequence(): string {
    let text = ''
    while (this.#at < this.#pattern.length && !'|)'.includes(this.#pattern[this.#at]!)) {
      const atoms = this.#readAtom()
      const count = this.#readCount()
      for (let index = 0; index < count && text.length < MAX_LENGTH; index++)
        text += atoms[(this.#choices.seed + index) % atoms.length] ?? ''
    }
    return text
  }

  /** Alternative strings of an atom. */
  #readAtom(): string[] {
    const character = this.#next()
    switch (character) {
      case '(':
        return [this.#readGroup()]
      case '[':
        return this.#readClass()
      case '\\':
        return this.#readEscape()
      case '.':
        return charactersOf('.')
      case '^':
      case '$':
        return []
      default:
        return [character]
    }
  }

  #readGroup(): string {
    const isAssertion = this.#take('?=') || this.#take('?!') || this.#take('?<=') || this.#take('?<!')
    const isCapture = !isAssertion && !this.#take('?:')
    const name = isCapture && this.#take('?') ? this.#readUntil('>').slice(1, -1) : undefined
    const index = isCapture ? this.#groups.push('') - 1 : -1
    const text = this.read()
    this.#take(')')
    if (isCapture) this.#groups[index] = text
    if (name !== undefined) this.#named[name] = text
    return isAssertion ? '' : text
  }

  #readClass(): string[] {
    const start = this.#at - 1
    while (this.#pattern[this.#at] !== ']') this.#at += this.#pattern[this.#at] === '\\' ? 2 : 1
    this.#at++
    return charactersOf(this.#pattern.slice(start, this.#at))
  }

  #readEscape(): string[] {
    const kind = this.#next()
    if (CLASSES.includes(kind)) return charactersOf(`\\${kind}`)
    if (kind in CONTROLS) return [CONTROLS[kind]!]
    if (kind === 'b' || kind === 'B') return []
    if (kind === 'x') return [this.#readCode(2)]
    if (kind === 'u') return [this.#readCode(4)]
    if (kind === 'p' || kind === 'P') return this.#readProperty(kind)
    if (kind === 'k') return [this.#readNamedReference()]
    if (/[1-9]/.test(kind)) return [this.#groups[Number(kind) - 1] ?? '']
    return [kind]
  }

  #readNamedReference(): string {
    const name = this.#readUntil('>').slice(1, -1)
    return this.#named[name] ?? ''
  }

  #readCode(digits: number): string {
    const [, braced] = /^\{([0-9a-f]+)\}/i.exec(this.#pattern.slice(this.#at)) ?? []
    const code = braced ?? this.#pattern.slice(this.#at, this.#at + digits)
    this.#at += braced ? braced.length + 2 : digits
    return String.fromCodePoint(Number.parseInt(code, 16))
  }

  #readProperty(kind: string): string[] {
    return charactersOf(`\\${kind}${this.#readUntil('}')}`)
  }

  #readUntil(end: string): string {
    const start = this.#at
    this.#at = this.#pattern.indexOf(end, start) + 1
    return this.#pattern.slice(start, this.#at)
  }

  #readCount(): number {
    const [whole, symbol, min, comma, max] =
      /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(this.#pattern.slice(this.#at)) ?? []
    if (whole === undefined) return 1
    this.#at += whole.length
    const { extra } = this.#choices
    if (symbol !== undefined) return symbol === '?' ? Math.min(1, extra) : (symbol === '+' ? 1 : 0) + extra
    const start = Number(min)
    if (!comma) return start
    return Math.min(start + extra, max ? Number(max) : MAX_REPEATS)
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

/** Some members of a character class. Tests candidates, so that every kind of class is supported. */
function charactersOf(source: string): string[] {
  const belongs = new RegExp(`^${source}$`, 'u')
  const letters = source.startsWith('[') ? [...source.slice(1, -1)].filter(letter => letter !== '\\') : []
  return [...new Set([...CANDIDATES, ...letters])].filter(letter => belongs.test(letter))
}
