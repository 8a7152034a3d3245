import * as z from 'zod'
import { named } from '../../json/schema-metadata.ts'

/** `/api/servers/{name}/mcp/{environment}` (extension; docs/api.md). */
export const mcpMessageSchema = named('McpMessage', 'A JSON-RPC message of MCP.', {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/list',
}).looseObject({ jsonrpc: z.literal('2.0').describe('Version of JSON-RPC.') })
