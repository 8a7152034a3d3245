import { createHash } from 'node:crypto'
import type { Artifact } from '../../shared/artifact.ts'
import type { BuildRequest, EnvDeclaration } from '../../shared/definitions.ts'
import { HostingError } from '../../shared/errors.ts'
import { promptArguments } from '../../shared/prompt-variables.ts'

export interface BuiltArtifact {
  artifact: Artifact
  /** SHA-256 of `bytes`, 64 hexadecimal digits. */
  digest: string
  bytes: string
}

/** The `version` of a server whose definitions name none. */
const DEFAULT_VERSION = '1.0.0'

/**
 * Makes the artifact of validated definitions. The same definitions always give the same bytes: known fields stand in a
 * fixed order. Free JSON (schemas, `data`) keeps the order it came in, because models read properties in that order.
 * Throws NO_SOURCE when a source archive is named or needed that is not there.
 */
export function buildArtifact(request: BuildRequest): BuiltArtifact {
  requireSource(request)
  const artifact = toArtifact(request)
  const bytes = JSON.stringify(artifact)
  return { artifact, digest: digestOf(bytes), bytes }
}

export function digestOf(bytes: string): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function requireSource({ tools = [], resources = [], source }: BuildRequest): void {
  const owner = [...tools, ...resources].find(({ handler }) => handler?.type === 'module')
  if (owner?.handler?.type !== 'module') {
    if (source === undefined) return
    throw new HostingError('NO_SOURCE', `There is no source "${source}".`, {
      details: 'Leave "source" out: no handler is answered by a module.',
    })
  }
  const where = source === undefined ? 'the build names no source' : `there is no source "${source}"`
  throw new HostingError('NO_SOURCE', `"${owner.name}" is answered by ${owner.handler.path}, but ${where}.`, {
    details: 'A "template" or "http" handler answers without any source.',
  })
}

function toArtifact(request: BuildRequest): Artifact {
  return {
    format: 1,
    server: {
      name: request.name,
      title: request.title,
      version: request.version ?? DEFAULT_VERSION,
      instructions: request.instructions,
    },
    template: request.template,
    tools: (request.tools ?? []).map(tool => ({ ...tool, inputSchema: asObjectSchema(tool.inputSchema) })),
    resources: request.resources ?? [],
    prompts: (request.prompts ?? []).map(prompt => ({ ...prompt, arguments: promptArguments(prompt) })),
    data: request.data ?? null,
    env: (request.env ?? []).map(toDeclaration),
    pageSize: request.page_size,
  }
}

/** MCP wants `type: "object"` at the root; a schema that leaves it out (the contract allows any) gets it. */
function asObjectSchema(schema: BuildRequest['data'] & object): Record<string, never> {
  return ('type' in schema ? schema : { type: 'object', ...schema }) as Record<string, never>
}

function toDeclaration(declaration: EnvDeclaration): Artifact['env'][number] {
  return typeof declaration === 'string' ? { name: declaration, required: false } : declaration
}
