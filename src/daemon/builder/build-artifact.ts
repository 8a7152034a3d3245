import type { Artifact, DescribedServer, Program } from '../../shared/definitions/artifact.ts'
import type { BuildRequest, EnvDeclaration } from '../../shared/definitions/definitions.ts'
import { promptArguments } from '../../shared/definitions/prompt-variables.ts'
import { digestOf } from './digest.ts'

export interface BuiltArtifact {
  artifact: Artifact
  /** SHA-256 of `bytes`, 64 hexadecimal digits. */
  digest: string
  bytes: string
  /** Source text of the module with the digest `artifact.program.bundle`. */
  bundle?: string
}

/** Code of a custom server, with the facts that it reported. The server's lists are already in the request. */
export interface ServerCode {
  program: Program
  server?: DescribedServer['server']
  capabilities?: DescribedServer['capabilities']
}

const DEFAULT_VERSION = '1.0.0'

/**
 * Builds the artifact of validated definitions. Equal definitions always result in equal bytes, because known fields have a
 * fixed order. Free JSON (schemas, `data`) keeps its order, because models read properties in that order.
 */
export function buildArtifact(request: BuildRequest, code?: ServerCode): BuiltArtifact {
  const artifact = toArtifact(request, code)
  const bytes = JSON.stringify(artifact)
  return { artifact, digest: digestOf(bytes), bytes }
}

/** Facts in the request take precedence over those from the code. The name always comes from the request. */
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

/** Adds `type: "object"` to the root, which MCP requires and the contract does not. */
function asObjectSchema(schema: BuildRequest['data'] & object): Record<string, never> {
  return ('type' in schema ? schema : { type: 'object', ...schema }) as Record<string, never>
}

function toDeclaration(declaration: EnvDeclaration): Artifact['env'][number] {
  return typeof declaration === 'string' ? { name: declaration, required: false } : declaration
}
