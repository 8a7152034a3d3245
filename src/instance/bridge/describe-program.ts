import type { Artifact, DescribedServer } from '../../shared/definitions/artifact.ts'
import type { Tenant } from '../../shared/instances/instance-protocol.ts'
import { createErrorOutput } from '../log/error-output.ts'
import { RPC, RpcError } from '../protocol/json-rpc.ts'
import { ALL_CAPABILITIES } from './children/leased-children.ts'
import { McpChild } from './mcp-child.ts'
import type { RunnableProgram } from './process/program-command.ts'
import { localPrograms, type StartProgram } from './process/programs.ts'
import { readDefinitions } from './read-definitions.ts'
import type { ServerFacts } from './server-facts.ts'

const TIMEOUT_MS = 60_000

/** Starts the program once to read its definitions. Rejects with ChildStartError when it does not start as an MCP server. */
export async function describeStdioProgram(artifact: Artifact, tenant: Tenant): Promise<DescribedServer> {
  const programs = localPrograms(artifact.program as RunnableProgram, tenant)
  const client = new DescribingClient(programs.start, tenant)
  try {
    await client.open()
    return await client.describe()
  } finally {
    await client.stop()
    programs.close()
  }
}

/** Client that declares every capability, so that a stdio program reveals everything it offers. */
export class DescribingClient {
  readonly #child: McpChild
  #facts: ServerFacts | undefined
  #dependsOnClient = false

  /** Starts the program. Throws ChildStartError. */
  constructor(start: StartProgram, tenant: Tenant) {
    const printError = createErrorOutput(tenant)
    const options = { timeoutMs: TIMEOUT_MS, startTimeoutMs: TIMEOUT_MS }
    this.#child = new McpChild(start, options, {
      onStderr: printError,
      onNoise: printError,
      onAsk: method => {
        this.#dependsOnClient = true
        return Promise.reject(new RpcError(RPC.methodNotFound, `No client is connected to answer ${method}`))
      },
      onLog: () => {},
      // Definitions that change after `initialize` may depend on the client's capabilities.
      onListChanged: () => {
        this.#dependsOnClient = true
      },
      onResourceUpdated: () => {},
    })
  }

  /** Resolves when the program has answered `initialize`. Otherwise stops it and rejects with ChildStartError. */
  async open(): Promise<void> {
    this.#facts = await this.#child.initialize({ capabilities: ALL_CAPABILITIES, info: undefined })
  }

  async describe(): Promise<DescribedServer> {
    const readList = (method: string, member: string) => this.#child.readList(method, member)
    const described = await readDefinitions({ facts: this.#facts!, readList })
    return { ...described, children: this.#dependsOnClient ? 'session' : 'shared' }
  }

  stop(): Promise<void> {
    return this.#child.stop()
  }
}
