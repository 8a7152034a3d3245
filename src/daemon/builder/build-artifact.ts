import type { Artifact, Described, Program } from '../../shared/artifact.ts'
import type { BuildRequest, EnvDeclaration } from '../../shared/definitions.ts'
import { promptArguments } from '../../shared/prompt-variables.ts'
import { digestOf } from './digest.ts'

export interface BuiltArtifact {
  artifact: Artifact
  /** SHA-256 of `bytes`, 64 hexadecimal digits. */
  digest: string
  bytes: string
  /** Text of the module that `artifact.program.bundle` is the digest of. */
  bundle?: string
}

/** The code of a custom server, and what it told of itself besides its lists, which the request holds already. */
export interface ServerCode {
  program: Program
  server?: Described['server']
  capabilities?: Described['capabilities']
}

/** The `version` of a server whose definitions name none. */
const DEFAULT_VERSION = '1.0.0'

/**
 * Makes the artifact of validated definitions. The same definitions always give the same bytes: known fields stand in a
 * fixed order. Free JSON (schemas, `data`) keeps the order it came in, because models read properties in that order.
 */
export function buildArtifact(request: BuildRequest, code?: ServerCode): BuiltArtifact {
  const artifact = toArtifact(request, code)
  const bytes = JSON.stringify(artifact)
  return { artifact, digest: digestOf(bytes), bytes }
}

/** What the request says of the server goes before what its code says; the name is always the request's. */
function toArtifact(request: BuildRequest, code?: ServerCode): Artifact {
  return {
    format: 1,
    server: {
      name: request.name,
      title: request.title ?? code?.server?.title,
      version: request.version ?? code?.server?.version ?? DEFAULT_VERSION,
      instructions: request.instructions ?? code?.server?.instructions,
    },
    template: request.template,
    tools: (request.tools ?? []).map(tool => ({ ...tool, inputSchema: asObjectSchema(tool.inputSchema) })),
    resources: request.resources ?? [],
    prompts: (request.prompts ?? []).map(prompt => ({ ...prompt, arguments: promptArguments(prompt) })),
    data: request.data ?? null,
    env: (request.env ?? []).map(toDeclaration),
    pageSize: request.page_size,
    program: code?.program,
    capabilities: code?.capabilities,
  }
}

/** MCP wants `type: "object"` at the root; a schema that leaves it out (the contract allows any) gets it. */
function asObjectSchema(schema: BuildRequest['data'] & object): Record<string, never> {
  return ('type' in schema ? schema : { type: 'object', ...schema }) as Record<string, never>
}

function toDeclaration(declaration: EnvDeclaration): Artifact['env'][number] {
  return typeof declaration === 'string' ? { name: declaration, required: false } : declaration
}
