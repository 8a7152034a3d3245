import { readFileSync } from 'node:fs'
import { HostingError } from '../../shared/errors.ts'
import type { ModelKeyList, ModelKeyRecord, ModelVendor } from '../../shared/model-keys.ts'
import { defineCommand } from '../command.ts'
import { modelAccess } from '../model-access.ts'
import { askSecret } from '../prompt.ts'

const VENDORS = ['anthropic', 'openai'] as const satisfies readonly ModelVendor[]
const MODELS_OF: Record<ModelVendor, string> = {
  anthropic: 'claude-sonnet-4-5, any claude-…',
  openai: 'gpt-5.2, any gpt-…',
}
const VENDOR_ARGUMENT = { doc: `the vendor: ${VENDORS.join(' or ')}`, required: true } as const

export const list = defineCommand({
  name: 'models list',
  summary: 'models the test agent has keys for, and the default one',
  description:
    "A vendor's key is looked for in this command's environment (local daemon only), in the daemon's, and among the saved ones. Models of other kinds need none: embedded, openai:<model>@<base url>, gguf:<file>.",
  examples: [{ command: 'mcp models list', does: 'which models can be used now' }],
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
          ['embedded', '-', 'needs none'],
          ['openai:<model>@<base url>', 'local or other', 'needs none'],
          ['gguf:<file>', 'local file', 'needs none'],
        ],
      )
      output.line()
      output.line(`Without --model a test uses ${output.style.bold(model)}.`)
      output.next({ description: 'Save a key', command: 'mcp models login anthropic' })
    })
  },
})

export const login = defineCommand({
  name: 'models login',
  summary: "save a model vendor's key, encrypted",
  description:
    'Saves the key in the daemon (or hosted API) in use, encrypted at rest. It is used by tests and chats and never shown again.',
  arguments: { vendor: VENDOR_ARGUMENT },
  options: {
    key: {
      type: 'string',
      value: 'key',
      doc: 'the key; - takes it from standard input; asked for when absent',
    },
    baseUrl: { type: 'string', value: 'url', doc: "another address than the vendor's own" },
  },
  examples: [
    { command: 'mcp models login anthropic', does: 'asks for the key' },
    { command: 'mcp models login openai --key - < key.txt', does: 'for scripts' },
  ],
  async run(context, { vendor, key, baseUrl }) {
    const name = parseVendor(vendor)
    const given =
      key === '-' ? readFileSync(0, 'utf8') : (key ?? (await askSecret(context, `Key of ${name}:`, '--key')))
    const body = { apiKey: given.trim(), ...(baseUrl ? { baseUrl } : {}) }
    const { data } = await (await context.api()).request<ModelKeyRecord>('PUT', `/api/model-keys/${name}`, {
      body,
    })
    context.output.result(data, () => {
      context.output.line(`Saved the key of ${name} (${data.hint})`)
      context.output.next({
        description: 'Try it',
        command: `mcp test --model ${MODELS_OF[name].split(',')[0]} "…"`,
      })
    })
  },
})

export const logout = defineCommand({
  name: 'models logout',
  summary: "forget a model vendor's key",
  arguments: { vendor: VENDOR_ARGUMENT },
  examples: [{ command: 'mcp models logout openai', does: 'tests use it no more' }],
  async run({ api, output }, { vendor }) {
    const name = parseVendor(vendor)
    await (await api()).delete(`/api/model-keys/${name}`)
    output.result({ vendor: name, removed: true }, () => output.line(`Forgot the key of ${name}`))
  },
})

function parseVendor(text: string): ModelVendor {
  const vendor = VENDORS.find(one => one === text)
  if (vendor) return vendor
  throw new HostingError(
    'INVALID_REQUEST',
    `"${text}" is no vendor that is known here: there are ${VENDORS.join(' and ')}.`,
  )
}

function describeKey({ source, hint, baseUrl }: ModelKeyRecord): string {
  if (source === null) return 'none'
  return [source, hint, baseUrl && `at ${baseUrl}`].filter(Boolean).join(' ')
}
