import type { Artifact, Described } from '../../shared/artifact.ts'
import type { Tenant } from '../../shared/instance-protocol.ts'
import { createErrorOutput } from '../log/error-output.ts'
import { RpcError } from '../prepared-server.ts'
import { RPC } from '../protocol/json-rpc.ts'
import { commandLine, type ExistingProgram } from './command-line.ts'
import { ALL_CAPABILITIES } from './leased-children.ts'
import { McpChild } from './mcp-child.ts'
import { ProcessGuard } from './process-guard.ts'
import { readDefinitions } from './read-definitions.ts'

const TIMEOUT_MS = 60_000

/** Starts the program once to hear what it offers. Rejects with ChildStartError when it does not become a server. */
export async function describeStdioProgram(artifact: Artifact, tenant: Tenant): Promise<Described> {
  const guard = new ProcessGuard()
  const tell = createErrorOutput(tenant)
  let dependsOnClient = false
  const program = artifact.program as ExistingProgram
  const child = new McpChild(
    commandLine(program, tenant),
    { guard, timeoutMs: TIMEOUT_MS, startTimeoutMs: TIMEOUT_MS },
    {
      onStderr: tell,
      onNoise: tell,
      onAsk: method => {
        dependsOnClient = true
        return Promise.reject(new RpcError(RPC.methodNotFound, `Nobody is there to answer ${method}`))
      },
      onLog: () => {},
      // What it offers depends on what the client can do.
      onListChanged: () => {
        dependsOnClient = true
      },
      onResourceUpdated: () => {},
    },
  )
  try {
    const facts = await child.initialize({ capabilities: ALL_CAPABILITIES, info: undefined })
    const readList = (method: string, member: string) => child.readList(method, member)
    const described = await readDefinitions({ facts, readList })
    return { ...described, children: dependsOnClient ? 'session' : 'shared' }
  } finally {
    await child.stop()
    guard.close()
  }
}
