import { HostingError } from '../../../shared/errors.ts'

/** Which model a test runs with, taken apart. */
export type ModelChoice =
  | { kind: 'embedded' }
  | { kind: 'anthropic'; model: string }
  | { kind: 'openai'; model: string }
  /** Any endpoint that speaks OpenAI's chat completions: Ollama, llama.cpp, LM Studio, vLLM. */
  | { kind: 'compatible'; model: string; baseUrl: string }
  | { kind: 'gguf'; file: string }

export const EMBEDDED = 'embedded'

/** The contract's default, once a key for its vendor is there. */
export const DEFAULT_VENDOR_MODEL: ModelChoice = { kind: 'anthropic', model: 'claude-sonnet-4-5' }

/**
 * The contract writes vendors' names as `<vendor-a>` and `<vendor-b>`: what stands for them in the ids of each
 * (`<vendor-a>-sonnet-4-5` is claude-sonnet-4-5).
 */
const NEUTRAL_PREFIX = { a: 'claude-', b: 'gpt-' } as const

const FORMS =
  'claude-…, gpt-…, anthropic:<model>, openai:<model>, openai:<model>@<base url>, gguf:<file> or embedded'

/** Takes both spellings of the documented ids and every extension. Throws INVALID_REQUEST with the forms there are. */
export function parseModelId(text: string): ModelChoice {
  const id = text.trim()
  if (id === EMBEDDED) return { kind: 'embedded' }
  const neutral = /^<?vendor-([ab])>?-(.+)$/.exec(id)
  if (neutral) return ofVendor(`${NEUTRAL_PREFIX[neutral[1] as 'a' | 'b']}${neutral[2]}`, text)
  const [scheme, rest] = splitScheme(id)
  if (scheme === 'gguf' && rest) return { kind: 'gguf', file: rest }
  if (scheme === 'anthropic' && rest) return { kind: 'anthropic', model: rest }
  if (scheme === 'openai' && rest) return ofOpenAi(rest)
  return ofVendor(id, text)
}

/** How results and chats name it: the vendor's own id, or what `parseModelId` takes. */
export function modelName(choice: ModelChoice): string {
  switch (choice.kind) {
    case 'embedded':
      return EMBEDDED
    case 'gguf':
      return `gguf:${choice.file.split(/[\\/]/).at(-1)}`
    case 'compatible':
      return `openai:${choice.model}@${choice.baseUrl}`
    default:
      return choice.model
  }
}

/** In a recording a model has the same name wherever it runs. */
export function recordedName(choice: ModelChoice): string {
  return choice.kind === 'compatible' ? `openai:${choice.model}` : modelName(choice)
}

/** Whether pictures in results are shown to it. */
export function takesImages({ kind }: ModelChoice): boolean {
  return kind === 'anthropic' || kind === 'openai'
}

function splitScheme(id: string): [string, string] {
  const colon = id.indexOf(':')
  return colon < 0 ? ['', ''] : [id.slice(0, colon), id.slice(colon + 1)]
}

/** `llama3.2:1b@http://127.0.0.1:11434/v1`: a model's name may hold colons, an address no `@`. */
function ofOpenAi(rest: string): ModelChoice {
  const at = rest.lastIndexOf('@')
  if (at < 0) return { kind: 'openai', model: rest }
  const [model, address] = [rest.slice(0, at), rest.slice(at + 1)]
  const url = URL.parse(address)
  if (!model || !url || !/^https?:$/.test(url.protocol))
    throw new HostingError(
      'INVALID_REQUEST',
      `The model "openai:${rest}" names no http address after "@"; write for example openai:llama3.2@http://127.0.0.1:11434/v1.`,
    )
  return { kind: 'compatible', model, baseUrl: address.replace(/\/+$/, '') }
}

function ofVendor(id: string, given: string): ModelChoice {
  if (/^claude-./.test(id)) return { kind: 'anthropic', model: id }
  if (/^(gpt-.|chatgpt-.|o\d|codex-.)/.test(id)) return { kind: 'openai', model: id }
  throw new HostingError('INVALID_REQUEST', `"${given}" names no model that is known here.`, {
    details: `A model is ${FORMS}.`,
  })
}
