import type {
  ImageDefinition,
  Json,
  ProgramDefinition,
  PromptDefinition,
  ResourceDefinition,
  ToolDefinition,
} from './definitions.ts'
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
  /** Custom servers: the code that answers. Without it everything is declared. */
  program?: Program
  /** What a program says it can besides its lists; told by a description, see {@link Described}. */
  capabilities?: {
    completions?: boolean
    logging?: boolean
    subscribe?: boolean
    listChanged?: boolean
    /** Those that a program over HTTP speaks. */
    eras?: Era[]
  }
}

/** Of MCP: with sessions up to 2025-11-25, without them from 2026-07-28 on. */
export type Era = 'legacy' | 'modern'

/** Code of the user's, run in processes of its own. */
export type Program =
  /** `bundle`: SHA-256 of one ESM file in the artifact store; it default-exports the project's definitions. */
  | { type: 'module'; bundle: string }
  /** `source`: SHA-256 of the archive that is unpacked for it. */
  | (ProgramDefinition & { source?: string; package?: InstalledPackage })
  /** `id`: what the image's name meant when it was built, for example `sha256:…`. */
  | (ImageDefinition & { id?: string })

/** What `npx` runs, as it was installed by the build. */
export interface InstalledPackage {
  /** Names the folder of the installation. */
  digest: string
  version: string
  /** The program in it. */
  bin: string
  /** What npx would pass on. */
  args: string[]
}

/** What a process that loaded a custom server tells of it: the build fills the artifact from it. */
export interface Described {
  server?: Partial<Artifact['server']>
  tools: ToolDefinition[]
  resources: ResourceDefinition[]
  prompts: Artifact['prompts']
  capabilities?: Artifact['capabilities']
  /** Of a program over stdio: one child a session where what it does depends on its client, else one for all. */
  children?: 'session' | 'shared'
}
