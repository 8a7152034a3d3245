import { execFileSync } from 'node:child_process'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { baseStore } from '../../helpers/containers/base-store.ts'
import { resetEngine } from '../../helpers/containers/containers.ts'
import { writeEngineSettings } from '../../helpers/containers/engine-settings.ts'
import { createHome } from '../../helpers/daemon/mcp.ts'

type LogLine = { level: string; stream: string; message: string }

interface Deployed {
  deployment_id: string
  mcp_id: string
  url: string
  status: string
  config: Record<string, unknown>
  instances: { id: string; pid: number; restarts: number; lastFailure?: string; memoryBytes: number }[]
}

/** A home whose daemon runs containers with podman. */
export class EngineHome {
  readonly home = createHome()
  readonly env: NodeJS.ProcessEnv

  private constructor(images: string) {
    const settings = writeEngineSettings(this.home.dir, [images])
    this.env = { ...this.home.env, ...settings, MCP_CONTAINER_ENGINE: 'podman' }
  }

  static async open(): Promise<EngineHome> {
    return new EngineHome(await baseStore())
  }

  async remove(): Promise<void> {
    if (this.home.discovery()) await this.home.mcp(['daemon', 'stop'], { env: this.env })
    await resetEngine(this.home.dir, (...args) => this.podman(...args))
    await this.home.remove()
  }

  async deploy(args: string[]): Promise<Deployed> {
    const { deployment_id } = await this.home.json<Deployed>(['deploy', ...args], { env: this.env })
    return (await this.api(`/v1/deploy/${deployment_id}/status`)).data
  }

  /** Newest deployment of the server. */
  async status(name: string): Promise<Deployed> {
    return (await this.api(`/v1/deploy?name=${name}&limit=1`)).data.items[0]
  }

  /** Log of a deployment without debug lines. */
  async logs(id: string): Promise<string[]> {
    const { lines } = await this.api(`/api/lambda-deploy/${id}/logs?limit=10000`)
    const shown = (lines as LogLine[]).filter(({ level }) => level !== 'debug')
    return shown.map(({ stream, message }) => `${stream}: ${message}`)
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test reads any shape out of an answer.
  async api(path: string): Promise<any> {
    const headers = { authorization: `Bearer ${this.home.apiKey()}` }
    return (await fetch(new URL(path, this.home.discovery()!.url), { headers })).json()
  }

  podman(...args: string[]): string {
    return execFileSync('podman', args, {
      encoding: 'utf8',
      env: this.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  containers(deploymentId?: string): string[] {
    const filter = deploymentId === undefined ? [] : ['--filter', `label=mcp-hosting.id=${deploymentId}`]
    return this.podman('ps', '--all', '--quiet', ...filter)
      .split('\n')
      .filter(Boolean)
  }

  containerOf(deploymentId: string): string {
    return this.containers(deploymentId)[0]!
  }
}

export async function callTool(url: string, name: string, args: Record<string, unknown>) {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  try {
    return await client.callTool({ name, arguments: args })
  } finally {
    await client.close()
  }
}
