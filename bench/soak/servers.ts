import { fileURLToPath } from 'node:url'
import type { BenchDaemon, Deployed } from '../daemon.ts'
import { packFiles } from '../module.ts'

type Kind = 'declared' | 'module' | 'stdio'
const ENVIRONMENTS = ['production', 'staging', 'development'] as const

/** A deployment under load. */
export interface Target {
  name: string
  kind: Kind
  environment: (typeof ENVIRONMENTS)[number]
  /** Excluded from kills, releases and stops, so that its processes live long. */
  isSteady: boolean
  url: string
  deploymentId: string
  projectId?: string
}

/** True for declared servers outside production. They have a dedicated process in production only. */
export function isInSharedProcess({ kind, environment }: Target): boolean {
  return kind === 'declared' && environment !== 'production'
}

const STDIO_ECHO = fileURLToPath(new URL('../stdio-echo.ts', import.meta.url))
const ECHO_INPUT = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }

/** Deploys each kind of server to each environment, a steady one of each kind, and one whose log lines are counted. */
export async function deployTargets(daemon: BenchDaemon): Promise<Target[]> {
  const targets: Target[] = []
  for (const kind of ['declared', 'module', 'stdio'] as const) {
    for (const environment of ENVIRONMENTS)
      targets.push(describeTarget(`${kind}-${environment}`, kind, environment, false))
    targets.push(describeTarget(`${kind}-steady`, kind, 'production', true))
  }
  targets.push(describeTarget('witness', 'module', 'production', false))
  for (const target of targets) await release(daemon, target, 1)
  return targets
}

function describeTarget(
  name: string,
  kind: Kind,
  environment: Target['environment'],
  isSteady: boolean,
): Target {
  return { name, kind, environment, isSteady, url: '', deploymentId: '' }
}

/** Builds and deploys this version. Throws unless it is deployed. */
export async function release(daemon: BenchDaemon, target: Target, version: number): Promise<void> {
  const { name, kind, environment } = target
  const build = kind === 'module' ? await moduleBuild(daemon, target, version) : BUILDS[kind](name, version)
  const { mcp_id } = await daemon.call<Deployed>('POST', '/v1/build', build)
  const min = environment === 'production' && !target.isSteady ? 2 : 1
  const config = { scaling: { min_instances: min, max_instances: min + 1 } }
  const deployed = await daemon.call<Deployed & { deployment_id: string; status: string; error?: unknown }>(
    'POST',
    '/v1/deploy',
    { mcp_id, environment, config },
  )
  if (deployed.status !== 'deployed')
    throw new Error(`the release of ${name} is ${deployed.status}: ${JSON.stringify(deployed.error)}`)
  target.url = deployed.url
  target.deploymentId = deployed.deployment_id
}

const BUILDS: Record<Exclude<Kind, 'module'>, (name: string, version: number) => object> = {
  declared: (name, version) => ({
    name,
    template: 'basic',
    tools: [
      {
        name: 'echo',
        description: `Gives the text back, version ${version}`,
        inputSchema: ECHO_INPUT,
        handler: { type: 'template', text: '{{ text }}' },
      },
    ],
  }),
  stdio: (name, version) => ({
    name,
    template: 'custom',
    program: { type: 'stdio', command: process.execPath, args: [STDIO_ECHO, `version-${version}`] },
  }),
}

async function moduleBuild(daemon: BenchDaemon, target: Target, version: number): Promise<object> {
  const { name } = target
  target.projectId ??= (await daemon.call<{ id: string }>('POST', '/api/projects', { name })).id
  const path = `/api/projects/${target.projectId}/source`
  const archive = packFiles(moduleFiles(version))
  const { sourceId: source } = await daemon.call<{ sourceId: string }>('PUT', path, archive)
  return { name, template: 'custom', source }
}

function moduleFiles(version: number): Record<string, string> {
  return {
    'tools/echo.ts': `import { defineTool } from 'mcp-hosting/server'

export default defineTool({
  description: 'Gives the text back, version ${version}',
  input: ${JSON.stringify(ECHO_INPUT)},
  async handler({ text }, context) {
    for (let step = 1; step <= 3; step++) {
      context.progress(step, 3)
      await new Promise(resolve => setTimeout(resolve, 5))
    }
    console.log(text)
    return text
  },
})
`,
    'tools/fail.ts': `import { defineTool } from 'mcp-hosting/server'

export default defineTool({
  description: 'Fails',
  handler() {
    throw new Error('as it should')
  },
})
`,
  }
}
