import { expect, test } from 'vitest'
import type { ApiClient } from '../../../src/cli/api/client.ts'
import { PreviewDebugger } from '../../../src/cli/dev/preview-debugger.ts'
import { HostingError } from '../../../src/shared/errors.ts'
import { eventually } from '../../helpers/daemon/mcp.ts'

test.each([
  { port: 0, asked: ['0', '9001', '0'], failures: 0 },
  { port: 9001, asked: ['9001', '9001'], failures: 1 },
])(
  'a debugger whose port is in use tries another port only if any port is allowed (port $port)',
  async ({ port, asked, failures }) => {
    const opened: string[] = []
    const errors: unknown[] = []
    const ports: string[] = []
    const api = {
      async *events(_path: string, query: { port: string }) {
        ports.push(query.port)
        if (ports.length === 2) throw new HostingError('CONFLICT', 'The port is in use.')
        yield { url: `ws://127.0.0.1:${query.port === '0' ? 9000 + ports.length : query.port}/id` }
      },
    } as unknown as ApiClient
    const previews = new PreviewDebugger({
      openApi: async () => api,
      port,
      onOpen: url => opened.push(url),
      onError: error => errors.push(error),
    })
    previews.follow('mcp_1')
    await eventually(() => opened.length === 1)
    previews.follow('mcp_1')
    await eventually(() => opened.length + errors.length === 2)
    expect({ ports, failures: errors.length }).toEqual({ ports: asked, failures })
  },
)
