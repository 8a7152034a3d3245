import type { OptionDeclaration, OptionValues } from './declaration.ts'

/** Options of every command, before or after its name. */
export const GLOBAL_OPTIONS = {
  json: { type: 'boolean', doc: 'print one JSON document, and errors as JSON on stderr' },
  yes: { type: 'boolean', short: 'y', doc: 'answer yes to every question' },
  quiet: { type: 'boolean', short: 'q', doc: 'print only the result' },
  debug: { type: 'boolean', doc: 'show requests and stack traces on stderr' },
  color: { type: 'boolean', default: true, doc: 'disable colours (also NO_COLOR)' },
  apiUrl: { type: 'string', value: 'url', doc: 'API to use instead of the local daemon (MCP_API_URL)' },
  apiKey: { type: 'string', value: 'key', doc: 'API key (MCP_API_KEY)' },
  context: { type: 'string', value: 'name', doc: 'saved context to use (MCP_CONTEXT)' },
  timeout: {
    type: 'duration',
    value: 'duration',
    default: 120_000,
    doc: 'maximum time to wait for a response',
  },
} as const satisfies Record<string, OptionDeclaration>

export type GlobalInput = OptionValues<typeof GLOBAL_OPTIONS>
