import type { Artifact, Described } from '../../shared/definitions/artifact.ts'
import type { Tenant } from '../../shared/instances/instance-protocol.ts'
import { createErrorOutput } from '../log/error-output.ts'
import { RPC, RpcError } from '../protocol/json-rpc.ts'
import { ALL_CAPABILITIES } from './children/leased-children.ts'
import { McpChild } from './mcp-child.ts'
import { commandLine } from './process/command-line.ts'
import { ProcessGuard } from './process/process-guard.ts'
import type { RunnableProgram } from './process/program-command.ts'
import { readDefinitions } from './read-definitions.ts'

const TIMEOUT_MS = 60_000

/** Starts the program once to read its definitions. Rejects with ChildStartError when it does not become a server. */
export async function describeStdioProgram(artifact: Artifact, tenant: Tenant): Promise<Described> {
  const guard = new ProcessGuard()
  const printError = createErrorOutput(tenant)
  let dependsOnClient = false
  const program = artifact.program as RunnableProgram
  const child = new McpChild(
    commandLine(program, tenant),
    { guard, timeoutMs: TIMEOUT_MS, startTimeoutMs: TIMEOUT_MS },
    {
      onStderr: printError,
      onNoise: printError,
      onAsk: method => {
        dependsOnClient = true
        return Promise.reject(new RpcError(RPC.methodNotFound, `No client is connected to answer ${method}`))
      },
      onLog: () => {},
      // Its definitions depend on the client's capabilities.
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
