import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { beginSession, post, rpc } from '../../helpers/clients/mcp-requests.ts'
import { HAS_PODMAN, resetEngine, writeEngineSettings } from '../../helpers/containers/containers.ts'
import { HAS_PYTHON, makePythonBase } from '../../helpers/containers/python-base.ts'
import { createHome, eventually, type TestHome } from '../../helpers/daemon/mcp.ts'

const SERVER = new URL('../../fixtures/programs/stdio_server.py', import.meta.url).pathname
const ADDER = 'localhost/adder:1'
const CONTAINERFILE = `FROM localhost/python:3
COPY server.py /server.py
ENTRYPOINT ["/usr/bin/python3", "/server.py"]
`

interface Deployed {
  deployment_id: string
  url: string
  config: { image?: string; limits?: object }
}

describe.runIf(HAS_PODMAN && HAS_PYTHON)('an image that speaks MCP over stdio', () => {
  let home: TestHome
  let env: NodeJS.ProcessEnv
  let data: string

  beforeAll(async () => {
    home = createHome()
    env = { ...home.env, ...writeEngineSettings(home.dir), MCP_CONTAINER_ENGINE: 'podman' }
    const context = join(home.dir, 'adder')
    mkdirSync(context)
    // Outside of the home, which containers must not reach.
    data = mkdtempSync(join(tmpdir(), 'mcp-notes-'))
    copyFileSync(SERVER, join(context, 'server.py'))
    writeFileSync(join(context, 'Containerfile'), CONTAINERFILE)
    await makePythonBase(join(home.dir, 'base'))
    const id = podman('pull', '--quiet', 'oci:base:python:3').trim()
    podman('tag', id, 'localhost/python:3')
    podman('build', '--quiet', '--tag', ADDER, context)
  }, 120_000)

  afterAll(async () => {
    await home.mcp(['daemon', 'stop'], { env })
    await resetEngine(home.dir, podman)
    await home.remove()
    rmSync(data, { recursive: true, force: true })
  }, 60_000)

  test('mcp up --image detects that it speaks MCP over stdio', async () => {
    const result = await home.json<Deployed & { tools: string[] }>(['up', '--image', ADDER], { env })
    expect(result.tools).toEqual(['add', 'remember'])
    expect(await call('adder', 'add', 'a=2', 'b=3')).toBe('5')
    expect(await deployed('adder')).toMatchObject({ config: { engine: 'container', image: ADDER } })
    expect(containers(result.deployment_id)).toHaveLength(1)
    const format = ['--format', '{{json .HostConfig}}']
    const settings = JSON.parse(podman('inspect', containers(result.deployment_id)[0]!, ...format))
    expect(settings).toMatchObject({ ReadonlyRootfs: true, PortBindings: {} })
  }, 60_000)

  test('docker run keeps its variables, mounts and limits through restarts and releases', async () => {
    const command = `docker run -i --rm -e HOME=/data -v ${data}:/data -m 64m ${ADDER}`
    const args = ['deploy', '--command', command, '--name', 'counter']
    const first = await home.json<Deployed>(args, { env })
    expect(await call('counter', 'remember')).toBe('1')
    podman('kill', '--signal', 'KILL', containers(first.deployment_id)[0]!)
    await eventually(() => logs(first.deployment_id).then(text => text.includes('was killed by SIGKILL')))
    expect(await call('counter', 'remember')).toBe('2')
    const second = await home.json<Deployed>(args, { env })
    expect(second.url).toBe(first.url)
    expect(await call('counter', 'remember')).toBe('3')
    expect(readFileSync(join(data, 'count'), 'utf8')).toBe('3')
    expect((await deployed('counter')).config.limits).toEqual({ memory_mb: 64 })
    await eventually(() => containers(first.deployment_id).length === 0)
  }, 60_000)

  test('DATA_DIR lasts through restarts, releases and stops, is backed up, and is removed with the data', async () => {
    const command = (folder: string) => `docker run -i --rm -u 1234 -e PLACE=/ -e COUNT_IN=${folder} ${ADDER}`
    const deploy = (folder: string) =>
      home.json<Deployed>(['deploy', '--command', command(folder), '--name', 'keeper'], { env })
    const first = await deploy('DATA_DIR')
    expect(await call('keeper', 'remember')).toBe('1')
    const [killed] = containers(first.deployment_id)
    podman('kill', '--signal', 'KILL', killed!)
    // Not for the reason in the log: another test checks it.
    await eventually(() => !containers(first.deployment_id).includes(killed!))
    expect(await call('keeper', 'remember')).toBe('2')
    await deploy('DATA_DIR')
    expect(await call('keeper', 'remember')).toBe('3')
    await home.mcp(['stop', 'keeper'], { env })
    await home.mcp(['start', 'keeper'], { env })
    expect(await call('keeper', 'remember')).toBe('4')
    const folder = join(home.dir, 'state', 'keeper', 'development')
    expect(readFileSync(join(folder, 'files', 'count'), 'utf8')).toBe('4')
    expect(statSync(join(folder, 'files', 'count')).uid).toBe(1234)
    const { file } = await home.json<{ file: string }>(['daemon', 'backup'], { env })
    const { manifest } = JSON.parse(readFileSync(file.replace(/db$/, 'json'), 'utf8'))
    expect(manifest.state).toHaveProperty(['keeper/development/files/count'])

    const { deployment_id } = await deploy('PLACE')
    const failed = await home.mcp(['call', 'keeper', 'remember'], { env })
    expect(failed.stdout + failed.stderr).toContain('Let it write to $DATA_DIR')
    expect(await logs(deployment_id)).toContain('It can write to DATA_DIR')
    await home.json(['remove', 'keeper', '--data', '--yes'], { env })
    expect(existsSync(folder)).toBe(false)
  }, 90_000)

  test('each session can have its own container', async () => {
    const args = ['deploy', '--image', ADDER, '--name', 'apart', '--isolation', 'session']
    const { url, deployment_id } = await home.json<Deployed>(args, { env })
    await Promise.all([callInSession(url), callInSession(url)])
    expect(containers(deployment_id).length).toBeGreaterThanOrEqual(2)
    await home.json(['stop', deployment_id], { env })
    await eventually(() => containers(deployment_id).length === 0)
  }, 60_000)

  test('a build reports why a container is not a server', async () => {
    const exits = `podman run -i --entrypoint /usr/bin/python3 ${ADDER} -c 'import sys; sys.exit("no key")'`
    const failed = await home.mcp(['build', '--command', exits, '--name', 'ends'], { env })
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringMatching(/exited with code 1.*\n.*no key/) })
    const mounted = await home.mcp(['build', '--command', `docker run -i -v /etc:/etc ${ADDER}`], { env })
    expect(mounted.stderr).toContain('mount "/etc" gives access to /etc, a folder of the system')
  }, 60_000)

  test('no container is left when the daemon stops', async () => {
    expect(await call('adder', 'add', 'a=1', 'b=1')).toBe('2')
    expect(containers().length).toBeGreaterThan(0)
    await home.mcp(['daemon', 'stop'], { env })
    expect(containers()).toEqual([])
  }, 60_000)

  async function call(server: string, tool: string, ...args: string[]): Promise<string> {
    const { content } = await home.json<{ content: { text: string }[] }>(['call', server, tool, ...args], {
      env,
    })
    return content[0]!.text
  }

  async function callInSession(url: string): Promise<void> {
    const add = rpc('tools/call', { name: 'add', arguments: { a: 1, b: 1 } })
    expect((await post(url, add, await beginSession(url))).text).toContain('"2"')
  }

  async function logs(id: string): Promise<string> {
    const { lines } = await api(`/api/lambda-deploy/${id}/logs?limit=1000`)
    return (lines as { message: string }[]).map(({ message }) => message).join('\n')
  }

  async function deployed(name: string): Promise<Deployed> {
    return (await api(`/v1/deploy?name=${name}&status=deployed`)).data.items[0]
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test reads any response.
  async function api(path: string): Promise<any> {
    const headers = { authorization: `Bearer ${home.apiKey()}` }
    return (await fetch(new URL(path, home.discovery()!.url), { headers })).json()
  }

  function podman(...args: string[]): string {
    return execFileSync('podman', args, {
      encoding: 'utf8',
      env,
      cwd: home.dir,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  function containers(deploymentId?: string): string[] {
    const filter = deploymentId === undefined ? [] : ['--filter', `label=mcp-hosting.id=${deploymentId}`]
    return podman('ps', '--all', '--quiet', ...filter)
      .split('\n')
      .filter(Boolean)
  }
})
