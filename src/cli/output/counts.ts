import { counted } from '../../shared/counted.ts'

/** Lists of a build record or a build request. */
export interface CountedLists {
  tools?: readonly unknown[] | undefined
  resources?: readonly unknown[] | undefined
  prompts?: readonly unknown[] | undefined
}

export interface Counts {
  tools: number
  resources: number
  prompts: number
}

export function countsOf({ tools = [], resources = [], prompts = [] }: CountedLists): Counts {
  return { tools: tools.length, resources: resources.length, prompts: prompts.length }
}

/** `2 tools, 1 resource` */
export function countsToText(lists: CountedLists): string {
  const parts = Object.entries(countsOf(lists)).filter(([, count]) => count > 0)
  const words = parts.map(([nouns, count]) => counted(count, nouns.slice(0, -1)))
  return words.join(', ') || 'no tools, resources or prompts'
}
