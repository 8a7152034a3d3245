import { parseDurationMs } from '../../shared/duration.ts'
import { HostingError } from '../../shared/errors.ts'
import type { RunSettings } from '../../shared/suite/overrides.ts'
import type { OptionDeclaration, OptionValues } from '../command-line/declaration.ts'

/** Common options of `mcp test` and `mcp chat`. */
export const RUN_OPTIONS = {
  server: { type: 'string', value: 'server', doc: 'name, mcp_id or deployment id of a built server' },
  project: {
    type: 'string',
    value: 'dir',
    default: '.',
    doc: 'project to build and test without --server',
  },
  allow: {
    type: 'list',
    value: 'tool',
    doc: 'only offer these tools to the model; * matches any characters',
  },
  deny: { type: 'list', value: 'tool', doc: 'do not offer these tools to the model' },
  calls: {
    type: 'boolean',
    default: true,
    doc: 'let the model choose calls and validate the calls without making any',
  },
  maxTurns: { type: 'integer', value: 'n', doc: 'maximum number of requests to the model (default: 12)' },
  maxCalls: { type: 'integer', value: 'n', doc: 'maximum number of calls to the server (default: 50)' },
  maxTokens: { type: 'integer', value: 'n', doc: 'maximum number of tokens (default: 500000)' },
  maxTime: { type: 'string', value: 'duration', doc: 'maximum time for one message (default: 2m)' },
  temperature: { type: 'string', value: 'n', doc: "the model's temperature (default: the vendor's)" },
  userId: { type: 'string', value: 'id', doc: 'context.user_id of the request' },
  session: { type: 'string', value: 'json', doc: 'context.session_data of the request' },
} as const satisfies Record<string, OptionDeclaration>

export type RunInput = OptionValues<typeof RUN_OPTIONS>

/** Omits everything that was not given, so that an API that implements only the contract receives no additional fields. */
export function readRunSettings(input: RunInput): RunSettings {
  const { allow, deny, maxTurns, maxCalls, maxTokens, maxTime, userId } = input
  return (
    withoutEmpty({
      tools: withoutEmpty({ allow: nonEmpty(allow), deny: nonEmpty(deny) }),
      limits: withoutEmpty({
        turns: maxTurns,
        calls: maxCalls,
        tokens: maxTokens,
        seconds: maxTime === undefined ? undefined : parseDurationMs(maxTime) / 1000,
      }),
      settings: withoutEmpty({ temperature: readNumber('--temperature', input.temperature) }),
      context: withoutEmpty({ user_id: userId, session_data: readSession(input.session) }),
      make_calls: input.calls ? undefined : false,
    }) ?? {}
  )
}

function nonEmpty(list: string[]): string[] | undefined {
  return list.length > 0 ? list : undefined
}

/** Omits undefined members. Undefined when none is left. */
function withoutEmpty<T extends object>(value: T): T | undefined {
  const entries = Object.entries(value).filter(([, member]) => member !== undefined)
  return entries.length > 0 ? (Object.fromEntries(entries) as T) : undefined
}

function readSession(text: string | undefined): Record<string, never> | undefined {
  if (text === undefined) return undefined
  try {
    const value = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // Reported below.
  }
  throw new HostingError(
    'INVALID_REQUEST',
    `--session is ${text}, expected a JSON object such as {"cart": 3}.`,
  )
}

export function readNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const number = Number(text)
  if (text.trim() !== '' && Number.isFinite(number)) return number
  throw new HostingError('INVALID_REQUEST', `${flag} is "${text}", expected a number such as 0.5.`)
}
