import type { Json, PromptDefinition, ResourceDefinition, ToolDefinition } from './definitions.ts'
import type { Template } from './states.ts'

/**
 * What a build makes and an instance serves: the validated, normalised definitions as one JSON document under
 * `artifacts/<digest>.json`. The same definitions always give the same bytes, so the digest is the address.
 */
export interface Artifact {
  format: 1
  /** `serverInfo` of both protocol eras. */
  server: { name: string; title?: string; version: string; instructions?: string }
  template: Template
  tools: ToolDefinition[]
  /** Resources and resource templates; a `{` in the URI makes it a template. */
  resources: ResourceDefinition[]
  /** With `arguments` filled in from the template's variables. */
  prompts: (PromptDefinition & { arguments: NonNullable<PromptDefinition['arguments']> })[]
  data: Json
  /** Names the templates may read as `env.*`, with their defaults. */
  env: { name: string; description?: string; required: boolean; default?: string }[]
  pageSize?: number
}
