import type { Template } from '../contract/states.ts'
import type {
  ImageDefinition,
  Json,
  ProgramDefinition,
  PromptDefinition,
  ResourceDefinition,
  ToolDefinition,
} from './definitions.ts'

/**
 * Result of a build, served by instances: the validated and normalized definitions as one JSON document,
 * `artifacts/<digest>.json`. Equal definitions result in equal bytes, so the digest is the address.
 */
export interface Artifact {
  format: 1
  /** `serverInfo` of both protocol eras. */
  server: { name: string; title?: string; version: string; instructions?: string }
  template: Template
  tools: ToolDefinition[]
  /** Resources and resource templates. A template has a `{` in its URI. */
  resources: ResourceDefinition[]
  /** `arguments` include the template's variables. */
  prompts: (PromptDefinition & { arguments: NonNullable<PromptDefinition['arguments']> })[]
  data: Json
  /** Names that templates may read as `env.*`, with their defaults. */
  env: { name: string; description?: string; required: boolean; default?: string; secret?: boolean }[]
  pageSize?: number
  /** Code of a custom server. Absent when all answers are declared. */
  program?: Program
  /** Capabilities that a program reported in addition to its lists. See {@link DescribedServer}. */
  capabilities?: {
    completions?: boolean
    logging?: boolean
    subscribe?: boolean
    listChanged?: boolean
    /** Eras that a program over HTTP supports. */
    eras?: Era[]
  }
}

/** MCP protocol era: `legacy` (with sessions, up to 2025-11-25) or `modern` (stateless, since 2026-07-28). */
export type Era = 'legacy' | 'modern'

/** User code. It runs in dedicated processes. */
export type Program =
  /** `bundle`: SHA-256 of an ESM file in the artifact store. It default-exports the project's definitions. */
  | { type: 'module'; bundle: string }
  /** `source`: SHA-256 of its source archive. */
  | (ProgramDefinition & { source?: string; package?: InstalledPackage })
  /** `id`: image that the name referred to during the build, for example `sha256:…`. */
  | (ImageDefinition & { id?: string })

/** npm package of an `npx` command, installed by the build. */
export interface InstalledPackage {
  /** Name of the installation folder. */
  digest: string
  version: string
  /** Executable in the package. */
  bin: string
  /** Arguments that npx would forward. */
  args: string[]
}

/** Description of a custom server by the process that loaded it. The build adds it to the artifact. */
export interface DescribedServer {
  server?: Partial<Artifact['server']>
  tools: ToolDefinition[]
  resources: ResourceDefinition[]
  prompts: Artifact['prompts']
  capabilities?: Artifact['capabilities']
  /** Stdio programs: one child per session if the program's behaviour depends on its client, otherwise one for all. */
  children?: 'session' | 'shared'
  /** Images: how the server speaks MCP. */
  transport?: 'stdio' | 'http'
}
