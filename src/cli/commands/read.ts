import type { ReadResourceResult } from '@modelcontextprotocol/client'
import { HostingError } from '../../shared/errors.ts'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { unknownName } from '../mcp-client/get-named.ts'
import { METHOD_NOT_FOUND } from '../mcp-client/missing-list.ts'
import type { ServerConnection } from '../mcp-client/server-connection.ts'
import { SERVER_ARGUMENT, SERVER_OPTIONS } from '../targets/server-input.ts'
import { useServer } from '../targets/use-server.ts'

export default defineCommand({
  name: 'read',
  description: 'Print the content of a resource. Binary content is only written to a pipe or a file.',
  arguments: {
    server: SERVER_ARGUMENT,
    uri: { kind: 'resource', doc: 'URI of the resource', required: true },
  },
  options: SERVER_OPTIONS,
  examples: {
    'mcp read weather weather://Oslo': 'a URI from a resource template',
    'mcp read brand logo://png > logo.png': 'binary content',
  },
  async run(context, input) {
    const result = await useServer(context, input, connection => read(connection, input.uri), {
      acts: true,
    })
    context.output.result(result, () => print(context, result))
  },
})

/** JSON-RPC codes of an unknown resource (-32002 before 2026-07-28) and of a server without resources. */
const UNKNOWN_CODES = [-32602, -32002, METHOD_NOT_FOUND]

async function read(connection: ServerConnection, uri: string): Promise<ReadResourceResult> {
  return connection.readResource(uri).catch(async error => {
    throw UNKNOWN_CODES.includes(error.code) ? await unknownResource(connection, uri, error) : error
  })
}

async function unknownResource(
  connection: ServerConnection,
  uri: string,
  cause: unknown,
): Promise<HostingError> {
  const { resources, resourceTemplates } = await connection.listResources()
  const uris = [...resources.map(one => one.uri), ...resourceTemplates.map(one => one.uriTemplate)]
  return new HostingError('NOT_FOUND', unknownName('resource', uri, uris), { cause })
}

function print({ output }: CommandContext, { contents }: ReadResourceResult): void {
  for (const one of contents) {
    if ('text' in one) output.content(one.text)
    else if (process.stdout.isTTY)
      throw new HostingError('INVALID_REQUEST', `${one.uri} is binary (${one.mimeType ?? 'no type'}).`, {
        next: [{ description: 'Repeat the command with > FILE to write it to a file' }],
      })
    else output.bytes(Buffer.from(one.blob, 'base64'))
  }
}
