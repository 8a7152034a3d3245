import { packFiles } from '../module.ts'
import { Clients, type ClientsOptions, type Fault, type Tally } from './clients.ts'
import { killInstance, type Victim } from './victim.ts'

/** Returns `data` of a /v1 response or the body of an /api response. */
export type Call = <T>(method: string, path: string, body?: object) => Promise<T>

export interface Subject {
  call: Call
  name: string
  /** `declared` uses templates, and `module` uses code. */
  kind: 'declared' | 'module'
  /** Minimum and maximum number of instances. The environment is production. */
  instances: number
}

export type LoadProfile = Omit<ClientsOptions, 'url'>

export interface ReleasesPlan {
  releases: number
  rollbacks: number
  /** Minimum number of requests in total. */
  requests: number
}

export interface ReleasesReport extends Tally {
  /** Milliseconds of each release and rollback, from the request to its response. */
  releaseMs: number[]
  rollbackMs: number[]
}

/** Releases repeatedly, then rolls back repeatedly, while clients of both eras call without a pause. */
export async function releaseUnderLoad(
  subject: Subject,
  plan: ReleasesPlan,
  profile: LoadProfile,
): Promise<ReleasesReport> {
  const builds: string[] = []
  for (let count = 0; count <= plan.releases; count++) builds.push(await build(subject, `v${count}`))
  const first = await deploy(subject, builds[0]!)
  const timed = { releaseMs: [] as number[], rollbackMs: [] as number[] }
  const moves = plan.releases + plan.rollbacks
  const tally = await underLoad({ ...profile, url: first.url }, async clients => {
    const live = [0]
    let id = first.deployment_id
    for (let move = 1; move <= moves; move++) {
      const isRelease = move <= plan.releases
      await clients.reached((plan.requests / (moves + 1)) * move)
      live.push(isRelease ? move : live.at(-2)!)
      clients.releasing(`v${live.at(-1)}`)
      const startedAt = performance.now()
      const moved = isRelease ? await deploy(subject, builds[move]!) : await rollBack(subject, id)
      timed[isRelease ? 'releaseMs' : 'rollbackMs'].push(performance.now() - startedAt)
      id = moved.deployment_id
      clients.released(`v${live.at(-1)}`)
    }
    await clients.reached(plan.requests)
  })
  return { ...tally, ...timed }
}

export interface KillsReport extends Tally {
  kills: number
  /** Faults in requests that were not on a connection to a killed instance. */
  unexcused: Tally['faults']
}

/** Kills a random instance repeatedly while clients of both eras call without a pause. */
export async function killUnderLoad(
  subject: Subject,
  { kills, pauseMs }: { kills: number; pauseMs: number },
  profile: LoadProfile,
): Promise<KillsReport> {
  const { url, deployment_id } = await deploy(subject, await build(subject, 'v0'))
  const victims: Victim[] = []
  const tally = await underLoad({ ...profile, url }, async clients => {
    while (victims.length < kills) {
      await new Promise(resolve => setTimeout(resolve, pauseMs))
      await clients.reached(clients.tally.requests + 10) // the server serves again
      const { instances } = await subject.call<Status>('GET', `/v1/deploy/${deployment_id}/status`)
      const ready = instances.filter(({ state }) => state === 'ready')
      const chosen = ready[Math.floor(Math.random() * ready.length)]
      if (chosen) victims.push(killInstance(chosen.pid, Number(new URL(url).port)))
    }
    await clients.reached(clients.tally.requests + 100)
  })
  return { ...tally, kills, unexcused: tally.faults.filter(fault => !isExcused(fault, victims)) }
}

/** Runs `work` while clients call the release `v0`. The clients stop when `work` ends or fails. */
async function underLoad(options: ClientsOptions, work: (clients: Clients) => Promise<void>): Promise<Tally> {
  const clients = new Clients(options)
  clients.start('v0')
  try {
    await work(clients)
  } finally {
    await clients.stop()
  }
  return clients.tally
}

/**
 * True when a kill explains the fault. Each connection to a victim excuses one request. Each connection over which another
 * instance relayed requests to a victim excuses one running request in a session.
 */
function isExcused({ port, openedAt, startedAt, endedAt, isOfSession }: Fault, victims: Victim[]): boolean {
  const isCut = (victim: Victim) =>
    port !== undefined && openedAt < victim.stoppedAt && victim.clients.delete(port)
  if (victims.some(isCut)) return true
  const relaying = victims.find(
    ({ relayed, killedAt, stoppedAt }) => relayed > 0 && startedAt < killedAt && endedAt >= stoppedAt,
  )
  if (!isOfSession || !relaying) return false
  relaying.relayed--
  return true
}

async function build(subject: Subject, version: string): Promise<string> {
  const request = subject.kind === 'module' ? await modules(subject, version) : declared(subject, version)
  const { mcp_id, status } = await subject.call<Built>('POST', '/v1/build', request)
  if (status !== 'ready') throw new Error(`build ${version} is ${status}`)
  return mcp_id
}

interface Built {
  mcp_id: string
  status: string
}

interface Deployed {
  deployment_id: string
  url: string
  status: string
}

interface Status {
  instances: { pid: number; state: string }[]
}

function deploy(subject: Subject, mcpId: string): Promise<Deployed> {
  const scaling = { min_instances: subject.instances, max_instances: subject.instances }
  const request = { mcp_id: mcpId, environment: 'production', config: { scaling } }
  return deployed(subject, '/v1/deploy', request)
}

function rollBack(subject: Subject, id: string): Promise<Deployed> {
  return deployed(subject, `/v1/deploy/${id}/rollback`, {})
}

async function deployed({ call }: Subject, path: string, request: object): Promise<Deployed> {
  const answer = await call<Deployed>('POST', path, request)
  if (answer.status !== 'deployed') throw new Error(`not deployed: ${JSON.stringify(answer)}`)
  return answer
}

function declared({ name }: Subject, version: string): object {
  const handler = { type: 'template', text: version }
  return {
    name,
    template: 'basic',
    tools: [{ name: 'version', description: 'Which one', inputSchema: {}, handler }],
  }
}

async function modules({ call, name }: Subject, version: string): Promise<object> {
  const { id } = await call<{ id: string }>('POST', '/api/projects', { name: `${name}-${version}` })
  const text = `import { defineTool } from 'mcp-hosting/server'
export default defineTool({ description: 'Which one', handler: async () => '${version}' })
`
  const files = packFiles({ 'tools/version.ts': text })
  const { sourceId } = await call<{ sourceId: string }>('PUT', `/api/projects/${id}/source`, files)
  return { name, template: 'custom', source: sourceId }
}
