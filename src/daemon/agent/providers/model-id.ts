import { EMBEDDED_MODEL, VENDOR_MODELS } from '../../../shared/contract/access/vendor-models.ts'
import { HostingError } from '../../../shared/errors.ts'

export type ModelChoice =
  | { kind: 'embedded' }
  | { kind: 'anthropic'; model: string }
  | { kind: 'openai'; model: string }
  /** Any endpoint with OpenAI's chat completions API: Ollama, llama.cpp, LM Studio, vLLM. */
  | { kind: 'compatible'; model: string; baseUrl: string }
  | { kind: 'gguf'; file: string }

/** The contract's default model, used if a key for its vendor is configured. */
export const DEFAULT_VENDOR_MODEL: ModelChoice = { kind: 'anthropic', model: VENDOR_MODELS.anthropic }

/**
 * Prefixes for the contract's neutral vendor names `<vendor-a>` and `<vendor-b>`. For example `<vendor-a>-sonnet-4-5` is
 * claude-sonnet-4-5.
 */
const NEUTRAL_PREFIX = { a: 'claude-', b: 'gpt-' } as const

const FORMS =
  'claude-…, gpt-…, anthropic:<model>, openai:<model>, openai:<model>@<base url>, gguf:<file> or embedded'

/** Accepts both spellings of the documented ids and all extensions. Throws INVALID_REQUEST with the valid forms. */
export function parseModelId(text: string): ModelChoice {
  const id = text.trim()
  if (id === EMBEDDED_MODEL) return { kind: 'embedded' }
  const neutral = /^<?vendor-([ab])>?-(.+)$/.exec(id)
  if (neutral) return parseVendorId(`${NEUTRAL_PREFIX[neutral[1] as 'a' | 'b']}${neutral[2]}`, text)
  const [scheme, rest] = splitScheme(id)
  if (scheme === 'gguf' && rest) return { kind: 'gguf', file: rest }
  if (scheme === 'anthropic' && rest) return { kind: 'anthropic', model: rest }
  if (scheme === 'openai' && rest) return parseOpenAi(rest)
  return parseVendorId(id, text)
}

/** Name in results and chats: the vendor's id, or another form that `parseModelId` accepts. */
export function modelName(choice: ModelChoice): string {
  switch (choice.kind) {
    case 'embedded':
      return EMBEDDED_MODEL
    case 'gguf':
      return `gguf:${choice.file.split(/[\\/]/).at(-1)}`
    case 'compatible':
      return `openai:${choice.model}@${choice.baseUrl}`
    default:
      return choice.model
  }
}

/** Name in recordings, independent of the endpoint. */
export function recordedName(choice: ModelChoice): string {
  return choice.kind === 'compatible' ? `openai:${choice.model}` : modelName(choice)
}

/** Whether the model gets images in results. */
export function takesImages({ kind }: ModelChoice): boolean {
  return kind === 'anthropic' || kind === 'openai'
}

function splitScheme(id: string): [string, string] {
  const colon = id.indexOf(':')
  return colon < 0 ? ['', ''] : [id.slice(0, colon), id.slice(colon + 1)]
}

/** For example `llama3.2:1b@http://127.0.0.1:11434/v1`. A model name may contain colons. The URL contains no `@`. */
function parseOpenAi(rest: string): ModelChoice {
  const at = rest.lastIndexOf('@')
  if (at < 0) return { kind: 'openai', model: rest }
  const [model, baseUrl] = [rest.slice(0, at), rest.slice(at + 1)]
  const url = URL.parse(baseUrl)
  if (!model || !url || !/^https?:$/.test(url.protocol))
    throw new HostingError(
      'INVALID_REQUEST',
      `The model "openai:${rest}" has no http URL after "@". Example: openai:llama3.2@http://127.0.0.1:11434/v1.`,
    )
  return { kind: 'compatible', model, baseUrl: baseUrl.replace(/\/+$/, '') }
}

function parseVendorId(id: string, given: string): ModelChoice {
  if (/^claude-./.test(id)) return { kind: 'anthropic', model: id }
  if (/^(gpt-.|chatgpt-.|o\d|codex-.)/.test(id)) return { kind: 'openai', model: id }
  throw new HostingError('INVALID_REQUEST', `Unknown model "${given}".`, {
    details: `Valid models: ${FORMS}.`,
  })
}
