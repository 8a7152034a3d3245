import type { ClientContext } from '../../../src/instance/server/client-context.ts'
import { prepareServer } from '../../../src/instance/server/prepare-server.ts'
import { type CallToolResult, ResultText } from '../../../src/instance/server/results.ts'
import type { Artifact } from '../../../src/shared/definitions/artifact.ts'
import type { ToolDefinition } from '../../../src/shared/definitions/definitions.ts'
import type { Tenant } from '../../../src/shared/instances/instance-protocol.ts'
import { createArtifact } from '../../fixtures/instance/artifact.ts'
import { createTenant } from '../../fixtures/instance/tenant.ts'

/** A call context that records what the handler sent. */
export interface RecordedCall extends ClientContext {
  sent: unknown[][]
}

export function createCall(changes: Partial<ClientContext> = {}): RecordedCall {
  const sent: unknown[][] = []
  return {
    sent,
    signal: new AbortController().signal,
    log: (...line) => sent.push(['log', ...line]),
    progress: (...step) => sent.push(['progress', ...step]),
    hostingContext: undefined,
    meta: {},
    client: { protocolVersion: '2025-11-25', capabilities: {}, info: undefined },
    bearerToken: undefined,
    caller: undefined,
    session: undefined,
    inputResponses: undefined,
    requestState: undefined,
    ask: (...question) => {
      sent.push(['ask', ...question])
      return Promise.reject(new Error('the client does not answer'))
    },
    announce: list => sent.push(['announce', list]),
    resourceUpdated: uri => sent.push(['updated', uri]),
    closeStream: () => sent.push(['closed']),
    onCancel: () => {},
    ...changes,
  }
}

export function prepare(
  parts: Partial<Artifact>,
  tenant: Partial<Tenant> = {},
): ReturnType<typeof prepareServer> {
  return prepareServer(createArtifact(parts), createTenant('dep_1', tenant))
}

/** Definition of a tool. Accepts any arguments unless `parts` has an input schema. */
export function createTool(parts: Partial<ToolDefinition>): ToolDefinition {
  return { name: 'tool', description: 'A tool', inputSchema: { type: 'object' }, ...parts }
}

/** Calls the only tool of a server with this definition. */
export async function callTool(
  tool: Partial<ToolDefinition>,
  args: Record<string, unknown> = {},
  options: { artifact?: Partial<Artifact>; tenant?: Partial<Tenant>; call?: ClientContext } = {},
): Promise<CallToolResult> {
  const definition = createTool(tool)
  const server = prepare({ tools: [definition], ...options.artifact }, options.tenant)
  const result = await server.findTool(definition.name)!.call(args, options.call ?? createCall())
  if (result instanceof ResultText) throw new Error(`a result as text: ${result.members}`)
  return result
}

export function textOf(result: CallToolResult): string {
  return result.content.map(block => String(block.text)).join('\n')
}
