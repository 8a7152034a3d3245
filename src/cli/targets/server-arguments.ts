import { ENVIRONMENTS } from '../../shared/contract/states.ts'
import type { ArgumentDeclaration, OptionDeclaration } from '../command-line/declaration.ts'

/** Server that may be omitted (`chooseServer`). */
export const SERVER_ARGUMENT = {
  kind: 'server',
  doc: 'server name (default: the server of the project in this folder)',
} as const satisfies ArgumentDeclaration

/** The server as an option, for commands whose argument names something in the server. */
export function serverOption(listCommand: string) {
  const doc = `server (default: as for ${listCommand})`
  return { type: 'string', kind: 'server', value: 'name', doc } as const satisfies OptionDeclaration
}

export const ENVIRONMENT_FILTER = {
  type: 'string',
  value: 'environment',
  choices: ENVIRONMENTS,
  doc: 'only this environment',
} as const satisfies OptionDeclaration
