import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { rpc, send } from '../clients/mcp-requests.ts'
import { isRunning, processesNaming } from '../processes.ts'
import { eventually, type TestHome } from './mcp.ts'

/** Facts that a client knows about a server in an environment, and the request that was pending when the daemon was killed. */
export interface OwnedServer {
  name: string
  environment: string
  /** Newest acknowledged build. */
  built?: { id: string; text: string }
  live?: { id: string; url: string; text: string; status: 'deployed' | 'stopped' }
  /** URL, once known. It must never change. */
  url?: string
  /** Request without an answer so far. It may or may not have been executed. */
  open?: { kind: 'build' | 'deploy' | 'stop' | 'start' | 'remove'; text?: string }
}

interface Deployment {
  deployment_id: string
  mcp_id: string
  status: string
  url: string
  environment: string
}

export interface Tally {
  kills: number
  acknowledged: number
  calls: number
  linesChecked: number
}

/** Kills a daemon at any time while it works and checks what must be true after each start (docs/architecture.md). */
export class KilledDaemon {
  readonly tally: Tally = { kills: 0, acknowledged: 0, calls: 0, linesChecked: 0 }
  readonly #home: TestHome
  readonly #marker: string
  readonly #owned: OwnedServer[]
  /** Ids of answered calls by deployment. Each must have a log line. */
  readonly #answered = new Map<string, string[]>()
  #url = ''
  #count = 0

  /** `marker`: folder that is TMPDIR of every started process, so that orphans can be found. */
  constructor(home: TestHome, marker: string) {
    this.#home = home
    this.#marker = marker
    this.#owned = ['staging', 'production', 'development', 'production'].map((environment, at) => ({
      name: `server-${at}`,
      environment,
    }))
  }

  /** Starts the daemon, lets it work, kills it, starts it again and checks its state. */
  async round(workMs: number): Promise<void> {
    await this.#start()
    const { pid } = this.#home.discovery()!
    const work = Promise.allSettled(this.#owned.map(owned => this.#work(owned)))
    await sleep(workMs)
    process.kill(pid, 'SIGKILL')
    for (const outcome of await work) if (outcome.status === 'rejected') throw outcome.reason
    this.tally.kills++
    await eventually(() => !isRunning(pid))
    await eventually(() => this.#processes().length === 0)
    await this.#start()
    await this.#checkState()
  }

  /** Processes with the marker, which this daemon or its children started. */
  #processes(): number[] {
    return processesNaming(`TMPDIR=${this.#marker}\0`).filter(isRunning)
  }

  async #start(): Promise<void> {
    const env = { ...this.#home.env, TMPDIR: this.#marker, MCP_ENTERPRISE_LIMIT: '10000000' }
    const { url } = await this.#home.json<{ url: string }>(['daemon', 'start'], { env })
    this.#url = url
  }

  /** Sends requests until the daemon is gone. */
  async #work(owned: OwnedServer): Promise<void> {
    for (;;) {
      try {
        await this.#step(owned)
        this.tally.acknowledged++
      } catch (error) {
        if (error instanceof BrokenGuaranteeError) throw error
        return // The daemon was killed.
      }
    }
  }

  async #step(owned: OwnedServer): Promise<void> {
    const { live, built } = owned
    const dice = Math.random()
    if (live?.status === 'deployed' && dice < 0.6) return this.#call(owned)
    if (!built || dice < 0.7) return this.#build(owned)
    if (live?.status === 'deployed' && dice < 0.78) return this.#move(owned, 'stop')
    if (live?.status === 'stopped' && dice < 0.85) return this.#move(owned, 'start')
    if (live?.status === 'stopped' && dice < 0.9) return this.#remove(owned)
    return this.#deploy(owned)
  }

  async #build(owned: OwnedServer): Promise<void> {
    const text = `version ${++this.#count}`
    owned.open = { kind: 'build', text }
    const tool = {
      name: 'version',
      description: 'Returns its version',
      inputSchema: { type: 'object' },
      handler: { type: 'template', text },
    }
    const { mcp_id, status } = await this.#api('POST', '/v1/build', {
      name: owned.name,
      template: 'basic',
      tools: [tool],
    })
    assert(status === 'ready', `build ${mcp_id} is ${status}`)
    owned.built = { id: mcp_id, text }
    delete owned.open
  }

  async #deploy(owned: OwnedServer): Promise<void> {
    const { id, text } = owned.built!
    owned.open = { kind: 'deploy', text }
    const { environment } = owned
    const answer = await this.#api('POST', '/v1/deploy', { mcp_id: id, environment })
    assert(answer.status === 'deployed', `deployment ${answer.deployment_id} is ${answer.status}`)
    this.#checkUrl(owned, answer.url)
    owned.live = { id: answer.deployment_id, url: answer.url, text, status: 'deployed' }
    delete owned.open
  }

  async #move(owned: OwnedServer, kind: 'stop' | 'start'): Promise<void> {
    owned.open = { kind }
    await this.#api('POST', `/v1/deploy/${owned.live!.id}/${kind}`)
    owned.live!.status = kind === 'stop' ? 'stopped' : 'deployed'
    delete owned.open
  }

  async #remove(owned: OwnedServer): Promise<void> {
    owned.open = { kind: 'remove' }
    await this.#api('DELETE', `/v1/deploy/${owned.live!.id}`)
    delete owned.live
    delete owned.open
  }

  async #call(owned: OwnedServer): Promise<void> {
    const { id, url, text } = owned.live!
    const callId = `call-${++this.#count}`
    assert((await callVersion(url, callId)) === text, `${url} does not answer as ${text}`)
    this.tally.calls++
    this.#answered.set(id, [...(this.#answered.get(id) ?? []), callId])
  }

  /** Checks that every answered call has its log line. */
  #checkLogs(all: readonly Deployment[]): void {
    for (const [id, calls] of this.#answered) {
      // Releases in staging and development remove superseded deployments.
      if (!all.some(one => one.deployment_id === id)) continue
      const folder = join(this.#home.dir, 'logs', id)
      const text = readdirSync(folder)
        .map(name => readFileSync(join(folder, name), 'utf8'))
        .join('')
      for (const call of calls) {
        this.tally.linesChecked++
        assert(text.includes(`"requestId":"${call}"`), `the log line for ${call} to ${id} is lost`)
      }
    }
    this.#answered.clear() // Once found, a line needs no further check.
  }

  async #checkState(): Promise<void> {
    const all = await this.#deployments()
    const hanging = all.filter(({ status }) => status === 'deploying')
    assert(hanging.length === 0, `${hanging.map(one => one.deployment_id)} hang`)
    this.#checkLogs(all)
    for (const owned of this.#owned) await this.#checkOwned(owned, all)
  }

  async #checkOwned(owned: OwnedServer, all: readonly Deployment[]): Promise<void> {
    const { live, open, built } = owned
    delete owned.open
    if (built) await this.#api('GET', `/v1/build/${built.id}`)
    const now = live && all.find(one => one.deployment_id === live.id)
    const replaced = open?.kind === 'deploy' ? await this.#newest(owned, all) : undefined
    if (replaced?.status === 'deployed' && replaced.deployment_id !== live?.id) {
      this.#checkUrl(owned, replaced.url)
      owned.live = { id: replaced.deployment_id, url: replaced.url, text: open!.text!, status: 'deployed' }
    } else if (live && open?.kind === 'remove' && !now) {
      delete owned.live
    } else if (live) {
      assert(now !== undefined, `${live.id} of ${owned.name} is lost`)
      const unsure = open?.kind === 'stop' || open?.kind === 'start' || open?.kind === 'remove'
      // A pending stop, start or removal may or may not have happened. An interrupted start has failed.
      const may = unsure ? ['deployed', 'stopped', 'failed'] : [live.status]
      assert(may.includes(now!.status), `${live.id} is ${now!.status}, acknowledged as ${live.status}`)
      if (now!.status === 'failed') delete owned.live
      else live.status = now!.status as 'deployed' | 'stopped'
    }
    await this.#checkAnswer(owned)
  }

  /** Checks that the acknowledged version answers at the acknowledged URL, or that the port is closed if nothing runs. */
  async #checkAnswer({ live, url }: OwnedServer): Promise<void> {
    if (live?.status === 'deployed') {
      const text = await callVersion(live.url, 'check')
      return assert(text === live.text, `${live.url} says ${text} instead of ${live.text}`)
    }
    if (url) assert(await isRefused(url), `${url} accepts connections although nothing is deployed there`)
  }

  async #newest(owned: OwnedServer, all: readonly Deployment[]): Promise<Deployment | undefined> {
    const { items } = await this.#api('GET', `/v1/build?name=${owned.name}&limit=100`)
    const ids = new Set((items as { mcp_id: string }[]).map(({ mcp_id }) => mcp_id))
    return all.find(
      one => ids.has(one.mcp_id) && one.environment === owned.environment && one.status === 'deployed',
    )
  }

  /** Checks that a server and environment keep the same URL permanently. */
  #checkUrl(owned: OwnedServer, url: string): void {
    owned.url ??= url
    assert(owned.url === url, `${owned.name} moved from ${owned.url} to ${url}`)
  }

  async #deployments(): Promise<Deployment[]> {
    const all: Deployment[] = []
    for (let cursor = ''; ; ) {
      const page = await this.#api('GET', `/v1/deploy?limit=100${cursor && `&cursor=${cursor}`}`)
      all.push(...page.items)
      if (!page.next_cursor) return all
      cursor = encodeURIComponent(page.next_cursor)
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: any answer of the API
  async #api(method: string, path: string, body?: object): Promise<any> {
    const { status, json, text } = await send(this.#url + path, {
      method,
      headers: { accept: 'application/json', authorization: `Bearer ${this.#home.apiKey()}` },
      ...(body && { body }),
    })
    // A request that was cut off may still get an answer.
    if (status === 503 || status === 499) throw new Error(text)
    assert(status < 300, `${method} ${path}: ${status} ${text}`)
    return json?.data ?? json
  }
}

/** The daemon broke one of its guarantees. */
class BrokenGuaranteeError extends Error {}

function assert(holds: boolean, sentence: string): void {
  if (!holds) throw new BrokenGuaranteeError(sentence)
}

async function callVersion(url: string, id: string): Promise<string> {
  const params = {
    name: 'version',
    arguments: {},
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  }
  const headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'version',
  }
  const { json, text } = await send(url, { headers, body: rpc('tools/call', params, id) })
  return json?.result?.content?.[0]?.text ?? text
}

async function isRefused(url: string): Promise<boolean> {
  return send(url).then(
    () => false,
    error => (error as NodeJS.ErrnoException).code === 'ECONNREFUSED',
  )
}
