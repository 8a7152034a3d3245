import { readFileSync } from 'node:fs'
import type { ModelKeyList, ModelKeyRecord, ModelVendor } from '../../shared/contract/access/model-keys.ts'
import { HostingError } from '../../shared/errors.ts'
import { defineCommand } from '../command-line/command.ts'
import { askSecret } from '../output/prompt.ts'
import { modelAccess } from '../testing/model-access.ts'

const VENDORS = ['anthropic', 'openai'] as const satisfies readonly ModelVendor[]
const MODELS_OF: Record<ModelVendor, string> = {
  anthropic: 'claude-sonnet-4-5, any claude-…',
  openai: 'gpt-5.2, any gpt-…',
}
const VENDOR_ARGUMENT = {
  doc: `model vendor: ${VENDORS.join(' or ')}`,
  choices: VENDORS,
  required: true,
} as const

export const list = defineCommand({
  name: 'models list',
  description:
    "List the models that the test agent has keys for, and the default model. A vendor's key comes from this command's environment (local daemon only), the daemon's environment, or the saved keys. Other models need no key: embedded, openai:<model>@<base url>, gguf:<file>.",
  examples: { 'mcp models list': 'models with their keys' },
  async run(context) {
    const { output } = context
    const { items, defaultModel } = await (await context.api()).get<ModelKeyList>('/api/model-keys')
    const own = modelAccess(context) ?? {}
    const rows = items.map(item =>
      own[item.vendor] ? { ...item, source: 'environment' as const, hint: null } : item,
    )
    const model = own.anthropic ? 'claude-sonnet-4-5' : defaultModel
    output.result({ items: rows, defaultModel: model }, () => {
      output.table(
        ['MODELS', 'VENDOR', 'KEY'],
        [
          ...rows.map(row => [MODELS_OF[row.vendor], row.vendor, describeKey(row)]),
          ['embedded', '-', 'not needed'],
          ['openai:<model>@<base url>', 'local or other', 'not needed'],
          ['gguf:<file>', 'local file', 'not needed'],
        ],
      )
      output.line()
      output.line(`Default model: ${output.style.bold(model)}.`)
      output.next({ description: 'Save a key', command: 'mcp models login anthropic' })
    })
  },
})

export const login = defineCommand({
  name: 'models login',
  description:
    'Save the key, encrypted, in the daemon or hosted API in use. Tests and chats use it, and it is never shown again.',
  arguments: { vendor: VENDOR_ARGUMENT },
  options: {
    key: {
      type: 'string',
      value: 'key',
      doc: 'API key, or - for standard input (default: prompt)',
    },
    baseUrl: { type: 'string', value: 'url', doc: "base URL instead of the vendor's default" },
  },
  examples: {
    'mcp models login anthropic': 'prompt for the key',
    'mcp models login openai --key - < key.txt': 'read the key from standard input',
  },
  async run(context, { vendor, key, baseUrl }) {
    const name = parseVendor(vendor)
    const given =
      key === '-'
        ? readFileSync(0, 'utf8')
        : (key ?? (await askSecret(context, `API key for ${name}:`, '--key')))
    const body = { apiKey: given.trim(), ...(baseUrl ? { baseUrl } : {}) }
    const api = await context.api()
    const saved = await api.request<ModelKeyRecord>('PUT', `/api/model-keys/${name}`, { body })
    context.output.result(saved, () => {
      context.output.line(`Saved the key for ${name} (${saved.hint})`)
      context.output.next({
        description: 'Try it',
        command: `mcp test --model ${MODELS_OF[name].split(',')[0]} "…"`,
      })
    })
  },
})

export const logout = defineCommand({
  name: 'models logout',
  arguments: { vendor: VENDOR_ARGUMENT },
  examples: { 'mcp models logout openai': 'tests no longer use it' },
  async run({ api, output }, { vendor }) {
    const name = parseVendor(vendor)
    await (await api()).delete(`/api/model-keys/${name}`)
    output.result({ vendor: name, removed: true }, () => output.line(`Removed the key for ${name}`))
  },
})

function parseVendor(text: string): ModelVendor {
  const vendor = VENDORS.find(one => one === text)
  if (vendor) return vendor
  throw new HostingError('INVALID_REQUEST', `Unknown vendor "${text}". Known: ${VENDORS.join(', ')}.`)
}

function describeKey({ source, hint, baseUrl }: ModelKeyRecord): string {
  if (source === null) return 'none'
  return [source, hint, baseUrl && `at ${baseUrl}`].filter(Boolean).join(' ')
}
