import { FUNCTION_WORDS, GENERIC_WORDS } from '../lexicon/function-words.ts'
import { type Role, rolesOf, SOURCE_STEMS, TARGET_STEMS } from '../lexicon/roles.ts'
import { tokenize } from '../text/tokens.ts'
import type { Schema } from './schema.ts'

export function rolesByDescription(name: string, description: string): Role[] {
  return [...headRoles(description), ...countRole(name, description)]
}

/** Roles of the first nouns in a description: "The city to search in" asks for a place. */
function headRoles(description: string): Role[] {
  const words = tokenize(description.slice(0, 120)).filter(
    token => token.kind === 'word' && token.sentence === 0,
  )
  const head: string[] = []
  for (const word of words) {
    if (head.length > 0 && HEAD_ENDS.has(word.lower)) break
    if (!FUNCTION_WORDS.has(word.lower) && !GENERIC_WORDS.has(word.lower)) head.push(...word.stems)
  }
  return head.slice(0, 3).flatMap(rolesOf)
}

/** Roles from the name and the format. If the name is only a direction ("from"), the description counts as well. */
export function rolesByName(nameStems: string[], { format }: Schema, description: string): Set<Role> {
  const roles = new Set(nameStems.flatMap(rolesOf))
  if (format === 'email') roles.add('email')
  if (format === 'uri' || format === 'url') roles.add('url')
  const bare = nameStems.every(part => SOURCE_STEMS.has(part) || TARGET_STEMS.has(part))
  if (bare) for (const role of headRoles(description)) roles.add(role)
  return roles
}

/** The role of a count: "Number of results to return". */
function countRole(name: string, description: string): Role[] {
  return /\b(?:number|count) of\b/i.test(description.slice(0, 60)) ||
    ['n', 'k', 'num', 'number'].includes(name)
    ? ['count']
    : []
}

const HEAD_ENDS = new Set([
  'for',
  'to',
  'in',
  'from',
  'where',
  'which',
  'that',
  'with',
  'on',
  'whose',
  'by',
  'related',
  'who',
])

/** The end of a movement or range that a parameter specifies, if any. */
export function sideOf(nameStems: string[], descriptionStems: string[]): 'source' | 'target' | undefined {
  for (const stems of [nameStems, descriptionStems.slice(0, 4)]) {
    const source = stems.some(part => SOURCE_STEMS.has(part))
    const target = stems.some(part => TARGET_STEMS.has(part))
    if (source !== target) return source ? 'source' : 'target'
  }
  return undefined
}
