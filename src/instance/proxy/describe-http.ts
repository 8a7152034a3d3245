import type { Artifact, DescribedServer } from '../../shared/definitions/artifact.ts'
import type { Tenant } from '../../shared/instances/instance-protocol.ts'
import { ChildStartError } from '../bridge/process/child-start-error.ts'
import { commandLine } from '../bridge/process/command-line.ts'
import { ProcessGuard } from '../bridge/process/process-guard.ts'
import type { RunnableProgram } from '../bridge/process/program-command.ts'
import { readDefinitions } from '../bridge/read-definitions.ts'
import { readPages, type ServerFacts, toFacts } from '../bridge/server-facts.ts'
import { createErrorOutput } from '../log/error-output.ts'
import { HttpChild } from './http-child.ts'
import { McpHttpClient } from './mcp-http-client.ts'

const START_TIMEOUT_MS = 60_000

/** Starts the program once to read its definitions. Rejects with ChildStartError when it does not start as an MCP server. */
export async function describeHttpProgram(artifact: Artifact, tenant: Tenant): Promise<DescribedServer> {
  const program = artifact.program as RunnableProgram
  const printError = createErrorOutput(tenant)
  const guard = new ProcessGuard()
  try {
    const child = await HttpChild.start(commandLine(program, tenant), {
      guard,
      startTimeoutMs: START_TIMEOUT_MS,
      onOutput: (_stream, line) => printError(line),
    })
    return await describeAndStop(child, 'program', program.path)
  } finally {
    guard.close()
  }
}

/** Reads the definitions of a running child and stops it. `what` names the child in errors. */
export async function describeAndStop(
  child: Pick<HttpChild, 'origin' | 'stop'> & { process: { lastLines: readonly string[] } },
  what: string,
  path: string,
): Promise<DescribedServer> {
  try {
    return await readHttpDefinitions(`${child.origin}${path}`)
  } catch (error) {
    throw new ChildStartError(
      `the ${what} does not serve MCP at ${path}: ${(error as Error).message}`,
      child.process.lastLines,
    )
  } finally {
    await child.stop()
  }
}

async function readHttpDefinitions(url: string): Promise<DescribedServer> {
  const client = new McpHttpClient(url)
  const facts: ServerFacts = toFacts(await client.open())
  const readList = (method: string, member: string) =>
    readPages(member, params => client.request(method, params))
  const described = await readDefinitions({ facts, readList })
  return { ...described, capabilities: { ...described.capabilities, eras: await client.eras() } }
}
