import type { ReadResourceResult } from '@modelcontextprotocol/client'
import { HostingError } from '../../shared/errors.ts'
import type { McpConnection } from '../../shared/mcp-client/connect.ts'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { SERVER_ARGUMENT, SERVER_OPTIONS, useServer } from '../targets/server-target.ts'

export default defineCommand({
  name: 'read',
  description: 'Print the content of a resource. Binary content is only written to a pipe or a file.',
  arguments: {
    server: SERVER_ARGUMENT,
    uri: { doc: 'URI of the resource', required: true },
  },
  options: SERVER_OPTIONS,
  examples: {
    'mcp read weather weather://Oslo': 'a URI from a resource template',
    'mcp read brand logo://png > logo.png': 'binary content',
  },
  async run(context, input) {
    const result = await useServer(context, input, connection => read(connection, input.uri))
    context.output.result(result, () => print(context, result))
  },
})

async function read(connection: McpConnection, uri: string): Promise<ReadResourceResult> {
  const { client } = connection
  if (!client.getServerCapabilities()?.resources) throw await unknownResource(connection, uri)
  return client.readResource({ uri }).catch(async error => {
    // Unknown resource: -32602, or -32002 before 2026-07-28.
    throw error.code === -32602 || error.code === -32002
      ? await unknownResource(connection, uri, error)
      : error
  })
}

async function unknownResource(
  connection: McpConnection,
  uri: string,
  cause?: unknown,
): Promise<HostingError> {
  const { listResources, unknownName } = await import('../testing/mcp-client.ts')
  const { resources, resourceTemplates } = await listResources(connection)
  const uris = [...resources.map(one => one.uri), ...resourceTemplates.map(one => one.uriTemplate)]
  return new HostingError('NOT_FOUND', unknownName('resource', uri, uris), { cause })
}

function print({ output }: CommandContext, { contents }: ReadResourceResult): void {
  for (const one of contents) {
    if ('text' in one) output.content(one.text)
    else if (process.stdout.isTTY)
      throw new HostingError('INVALID_REQUEST', `${one.uri} is binary (${one.mimeType ?? 'no type'}).`, {
        next: [{ description: 'Write it to a file: repeat the command with > FILE' }],
      })
    else process.stdout.write(Buffer.from(one.blob, 'base64'))
  }
}
