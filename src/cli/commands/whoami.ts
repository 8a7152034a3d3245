import type { KeyInfo } from '../../shared/contract/access/api-keys.ts'
import { formatAge } from '../../shared/format/relative-time.ts'
import { defineCommand } from '../command-line/command.ts'

export default defineCommand({
  name: 'whoami',
  examples: { 'mcp whoami --json': 'the API record of the key' },
  async run({ output, api, settings }) {
    const client = await api()
    const info = await client.get<KeyInfo>('/api/deployments/api-key/info')
    output.result(info, () => {
      output.line(`${info.name} at ${client.url}`)
      output.fields({
        key: info.apiKeyId,
        user: info.userId,
        scopes: info.scopes?.join(', '),
        expires: info.isExpired ? `expired at ${info.expiresAt}` : (info.expiresAt ?? 'never'),
        'last used': info.lastUsedAt ? formatAge(info.lastUsedAt) : undefined,
        context: settings().context.value,
      })
    })
  },
})
