import type { Prompt, Resource, ResourceTemplateType, Tool } from '@modelcontextprotocol/client'
import type { ApiClient } from '../api/client.ts'
import type { ValueKind } from '../command-line/declaration.ts'

/** A value that an argument or option can have. */
export interface Choice {
  value: string
  /** Shown in a list instead of the value. */
  label?: string
  doc?: string | undefined
}

/** Part of the command line that is known when values are listed. */
export interface TypedInput {
  /** Beginning of the word to complete. Empty for a question. */
  typed: string
  /** Words given as arguments, by the kind of the argument. */
  words: Partial<Record<ValueKind, readonly string[]>>
  env?: string | undefined
}

/** Source of values. Completion gives up sooner than a prompt, and its lists may be incomplete. */
export interface ChoiceSource {
  api(): Promise<ApiClient>
  /** Path of the file with the saved contexts. */
  config: string
  /** Folder in which the command runs. */
  directory: string
  tools(given: TypedInput): Promise<Tool[]>
  prompts(given: TypedInput): Promise<Prompt[]>
  resources(given: TypedInput): Promise<Resources>
}

interface Resources {
  resources: Resource[]
  resourceTemplates: ResourceTemplateType[]
}

/** First sentence or line of a description. */
export function summaryOf(text: string | undefined): string | undefined {
  return text?.split(/(?<=\.)\s|\n/, 1)[0]?.replace(/\.$/, '')
}
