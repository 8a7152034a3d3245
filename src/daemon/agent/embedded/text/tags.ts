import type { Token } from './tokens.ts'

interface Term {
  pre: string
  text: string
  post: string
  tags?: Set<string>
}

/** Gives each token its parts of speech. */
export type Tagger = (text: string, tokens: Token[]) => ReadonlySet<string>[]

const NONE: ReadonlySet<string> = new Set()

/** Loads the tagger: rules and a word list, 20 ms; only when a message is there to be read. */
export async function loadTagger(): Promise<Tagger> {
  const { default: nlp } = await import('compromise/two')
  return (text, tokens) => {
    const { document } = nlp(text) as unknown as { document: Term[][] }
    return align(document.flat(), tokens)
  }
}

/** Terms and tokens cut the same text differently; a token takes the tags of the term in which it starts. */
function align(terms: Term[], tokens: Token[]): ReadonlySet<string>[] {
  const ends: number[] = []
  let offset = 0
  for (const term of terms) {
    offset += term.pre.length + term.text.length + term.post.length
    ends.push(offset)
  }
  let at = 0
  return tokens.map(token => {
    while (at < ends.length && ends[at]! <= token.start) at++
    return terms[at]?.tags ?? NONE
  })
}
