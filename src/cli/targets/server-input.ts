import { quoteShellWord } from '../../shared/shell-words.ts'
import type { Input, OptionDeclaration } from '../command-line/declaration.ts'

/** Options of commands that connect to a server. */
export const SERVER_OPTIONS = {
  env: {
    type: 'string',
    value: 'environment',
    choices: ['production', 'staging', 'development', 'preview'],
    doc: 'environment of the server (default: the live one; of several, production before staging before development)',
  },
  token: { type: 'string', value: 'token', doc: 'bearer token for a protected server' },
  clientId: {
    type: 'string',
    value: 'id',
    doc: 'client id for sign-in, if the server does not register clients; set its secret in MCP_CLIENT_SECRET',
  },
  callbackPort: {
    type: 'integer',
    value: 'port',
    doc: 'with --client-id: port of the registered redirect URL http://127.0.0.1:<port>/callback',
  },
} as const satisfies Record<string, OptionDeclaration>

export const SERVER_ARGUMENT = {
  kind: 'server',
  doc: 'URL, server name, deployment id or mcp_id',
  required: true,
} as const

export type ServerInput = Input<{ server: typeof SERVER_ARGUMENT }, typeof SERVER_OPTIONS>

export type ChosenServer = Pick<ServerInput, 'server' | 'env'>

/** A command to type next for the same server. `words` are quoted already. */
export function commandForServer(verb: string, { server, env }: ChosenServer, ...words: string[]): string {
  return [`mcp ${verb}`, quoteShellWord(server), ...words, ...(env ? [`--env ${env}`] : [])].join(' ')
}
