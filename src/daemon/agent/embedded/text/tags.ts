import type { Token } from './tokens.ts'

interface Term {
  pre: string
  text: string
  post: string
  tags?: Set<string>
}

/** Returns the parts of speech of each token. */
export type Tagger = (text: string, tokens: Token[]) => ReadonlySet<string>[]

const NO_TAGS: ReadonlySet<string> = new Set()

/** Loads the tagger's rules and word list, which takes 20 ms. */
export async function loadTagger(): Promise<Tagger> {
  const { default: nlp } = await import('compromise/two')
  return (text, tokens) => {
    const { document } = nlp(text) as unknown as { document: Term[][] }
    return align(document.flat(), tokens)
  }
}

/** Terms and tokens split the text differently. A token gets the tags of the term in which it starts. */
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
    return terms[at]?.tags ?? NO_TAGS
  })
}
