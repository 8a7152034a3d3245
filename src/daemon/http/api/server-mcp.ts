import { mcpMessageSchema } from '../../../shared/contract/servers/mcp-messages.ts'
import type { Services } from '../../services/services.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { serverPlaceSchema } from '../path-ids.ts'

/** The MCP endpoint of a server at the API's origin, for pages from this origin. */
export function serverMcpEndpoints({ mcpTargets }: Services) {
  const forwarding = (definition: Pick<Endpoint, 'operationId' | 'summary' | 'body' | 'answers'>) =>
    endpoint({
      ...definition,
      params: serverPlaceSchema,
      forwards: true,
      run: ({ params: { name, environment }, authorization, signal }) => ({
        status: 200,
        forward: { url: mcpTargets.url(name, environment), authorization, signal },
      }),
    })

  const sendMcpMessage = forwarding({
    operationId: 'sendMcpMessage',
    summary: 'Send an MCP message to a server. Statuses not listed here come from the server',
    body: mcpMessageSchema,
    answers: {
      200: { description: 'Answer from the server.', schema: mcpMessageSchema, events: mcpMessageSchema },
      202: { description: 'The server accepted a notification or a response.' },
    },
  })

  const openMcpStream = forwarding({
    operationId: 'openMcpStream',
    summary: 'Open the stream of an MCP session',
    answers: { 200: { description: 'Messages from the server.', events: mcpMessageSchema, resumable: true } },
  })

  const endMcpSession = forwarding({
    operationId: 'endMcpSession',
    summary: 'End an MCP session',
    answers: { 200: { description: 'Ended.' } },
  })

  return { sendMcpMessage, openMcpStream, endMcpSession }
}
