import type { CreatedKey, KeyRecord } from '../../shared/contract/access/api-keys.ts'
import { PLANS, SCOPES, type Scope } from '../../shared/contract/access/scopes.ts'
import { HostingError } from '../../shared/errors.ts'
import { formatAge, formatElapsed } from '../../shared/format/relative-time.ts'
import { nearestName } from '../../shared/names.ts'
import type { ApiClient } from '../api/client.ts'
import { listItems } from '../api/list-items.ts'
import { defineCommand } from '../command-line/command.ts'
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts'
import { askName, confirm, confirmReplacement } from '../output/prompt.ts'

export const list = defineCommand({
  name: 'keys list',
  examples: { 'mcp keys list': 'without their secrets' },
  async run({ output, api }) {
    const keys = await listItems<KeyRecord>(await api(), '/api/keys')
    output.result(keys, () => {
      const rows = keys.map(key => [
        key.name,
        key.apiKeyId,
        key.scopes.join(', '),
        key.plan,
        key.rateLimit ? `${key.rateLimit.used} of ${key.rateLimit.limit}` : '',
        key.createdAt ? formatElapsed(key.createdAt) : '',
        key.isExpired ? 'expired' : (key.expiresAt?.slice(0, 10) ?? 'never'),
      ])
      output.table(['NAME', 'ID', 'SCOPES', 'PLAN', 'THIS HOUR', 'AGE', 'EXPIRES'], rows, 'No API keys.')
      output.next({ description: 'Create a key', command: 'mcp keys create --name ci --scopes READ' })
    })
  },
})

export const create = defineCommand({
  name: 'keys create',
  description:
    'Create an API key and show its secret once. Names are unique. After confirmation, a key with the same name is replaced, and its secret stops working.',
  options: {
    name: { type: 'string', doc: 'purpose of the key', value: 'name' },
    scopes: {
      type: 'string',
      value: 'scopes',
      default: 'READ',
      doc: `permissions, separated by commas: ${SCOPES.join(', ')}`,
    },
    plan: {
      type: 'string',
      value: 'plan',
      choices: PLANS,
      default: 'free',
      doc: 'requests per hour: free 100, pro 1000',
    },
    expires: {
      type: 'duration',
      value: 'duration',
      doc: 'lifetime, for example 7d (default: unlimited)',
    },
  },
  examples: {
    'mcp keys create --name ci --scopes READ,BUILD_AND_DEPLOY --expires 90d': 'for a pipeline',
    'mcp keys create --name app --scopes CHAT --plan pro --json': 'the record with `key`, the secret',
  },
  async run(context, { name, scopes, plan, expires }) {
    const { output } = context
    if (name === undefined && !output.interactive)
      throw new HostingError('INVALID_REQUEST', '--name is required without a terminal.')
    const chosen = name ?? (await askName('Name of the key'))
    const body = {
      name: chosen,
      scopes: parseScopes(scopes),
      plan,
      ...(expires === undefined ? {} : { expiresAt: new Date(Date.now() + expires).toISOString() }),
    }
    const client = await context.api()
    const key = await confirmReplacement(context, {
      request: () => client.post<CreatedKey>('/api/keys', body),
      question: () => describeReplaced(client, chosen),
      replace: () => client.post<CreatedKey>('/api/keys', { ...body, replace: true }),
    })
    output.result(key, () => {
      output.line(`Created key "${key.name}". This is its secret, shown only once:`)
      output.line()
      output.line(key.key)
      output.line()
      output.fields({
        id: key.apiKeyId,
        scopes: key.scopes.join(', '),
        plan: key.plan,
        expires: key.expiresAt ?? 'never',
      })
      output.next({ description: 'Use it', command: 'MCP_API_KEY=<secret> mcp whoami' })
    })
  },
})

export const revoke = defineCommand({
  name: 'keys revoke',
  arguments: { key: { kind: 'key', required: true, doc: 'key id or unique prefix, or name' } },
  examples: { 'mcp keys revoke ci --yes': 'without confirmation' },
  async run(context, { key: reference }) {
    const { output } = context
    const client = await context.api()
    const key = pickKey(await listItems<KeyRecord>(client, '/api/keys'), reference)
    await confirm(context, {
      question: `Permanently revoke key "${key.name}" (${key.apiKeyId})?`,
      action: `Revoking key "${key.name}" (${key.apiKeyId}) permanently`,
    })
    await client.delete(`/api/keys/${encodeURIComponent(key.apiKeyId)}`)
    output.result({ revoked: key.apiKeyId }, () => output.line(`Revoked key "${key.name}" (${key.apiKeyId})`))
  },
})

export const check = defineCommand({
  name: 'keys check',
  description:
    'Check whether a key may make a request, without making the request. Exits with 0 if it may and with 3 if not.',
  arguments: {
    key: { required: true, doc: 'secret of the key' },
    method: { required: true, doc: 'GET, POST, PUT, PATCH or DELETE' },
    path: { required: true, doc: 'API path, such as /v1/build' },
  },
  examples: { 'mcp keys check "$KEY" POST /v1/build': '{allowed, reason}' },
  async run({ output, api }, { key, method, path }): Promise<ExitCode> {
    const client = await api()
    const body = { key, method: method.toUpperCase(), path }
    const verdict = await client.post<{ allowed: boolean; reason: string }>('/api/keys/check', body)
    output.result(verdict, () =>
      output.line(`${verdict.allowed ? 'Allowed' : 'Not allowed'}: ${verdict.reason}`),
    )
    return verdict.allowed ? EXIT.done : EXIT.notAllowed
  },
})

/** Question about the keys that a new one would replace. Undefined when there are none. */
async function describeReplaced(client: ApiClient, name: string): Promise<string | undefined> {
  const keys = (await listItems<KeyRecord>(client, '/api/keys')).filter(key => key.name === name)
  if (keys.length === 0) return undefined
  const ids = keys.map(key => `${key.apiKeyId}, created ${formatAge(key.createdAt)}`)
  return `Replace key "${name}" (${ids.join('; ')})? Programs that use it lose access.`
}

function pickKey(keys: readonly KeyRecord[], reference: string): KeyRecord {
  const exact = keys.find(({ apiKeyId }) => apiKeyId === reference)
  if (exact) return exact
  const matches = keys.filter(({ apiKeyId, name }) => name === reference || isPrefix(reference, apiKeyId))
  if (matches.length === 1) return matches[0]!
  if (matches.length > 1)
    throw new HostingError(
      'INVALID_REQUEST',
      `"${reference}" matches ${matches.length} keys. Give a longer prefix.`,
      {
        details: matches.map(({ apiKeyId, name }) => `${apiKeyId}  ${name}`).join('\n'),
      },
    )
  throw new HostingError('NOT_FOUND', `API key "${reference}" does not exist.`, {
    next: [{ description: 'List all keys', command: 'mcp keys list' }],
  })
}

function isPrefix(reference: string, id: string): boolean {
  return reference.length >= 8 && id.startsWith(reference)
}

function parseScopes(text: string): Scope[] {
  const words = text.split(',').map(word => word.trim().toUpperCase())
  for (const word of words) {
    if ((SCOPES as readonly string[]).includes(word)) continue
    const near = nearestName(word, SCOPES)
    throw new HostingError(
      'INVALID_REQUEST',
      `--scopes: unknown scope "${word}".${near ? ` Did you mean ${near}?` : ''} Known: ${SCOPES.join(', ')}.`,
    )
  }
  return [...new Set(words)] as Scope[]
}
