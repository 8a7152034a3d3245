import {
  chmodSync,
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
import { PYTHON_BASE } from '../../helpers/containers/base-store.ts'
import { HAS_PODMAN } from '../../helpers/containers/containers.ts'
import { HAS_PYTHON } from '../../helpers/containers/python-base.ts'
import { eventually, type TestHome } from '../../helpers/daemon/mcp.ts'
import { EngineHome } from './engine-home.ts'

const SERVER = new URL('../../fixtures/programs/stdio_server.py', import.meta.url).pathname
const ADDER = 'localhost/adder:1'
const CONTAINERFILE = `FROM ${PYTHON_BASE}
COPY server.py /server.py
ENTRYPOINT ["/usr/bin/python3", "/server.py"]
`

interface Deployed {
  deployment_id: string
  url: string
}

describe.runIf(HAS_PODMAN && HAS_PYTHON)('an image that speaks MCP over stdio', () => {
  let engine: EngineHome
  let home: TestHome
  let env: NodeJS.ProcessEnv
  let data: string

  beforeAll(async () => {
    engine = await EngineHome.open()
    ;({ home, env } = engine)
    // Outside the home, which containers must not reach. Writable for the users in the containers.
    data = mkdtempSync(join(tmpdir(), 'mcp-notes-'))
    chmodSync(data, 0o777)
    const context = join(home.dir, 'adder')
    mkdirSync(context)
    copyFileSync(SERVER, join(context, 'server.py'))
    writeFileSync(join(context, 'Containerfile'), CONTAINERFILE)
    engine.podman('build', '--quiet', '--tag', ADDER, context)
  }, 120_000)

  afterAll(async () => {
    await engine.remove()
    rmSync(data, { recursive: true, force: true })
  }, 60_000)

  test('mcp up --image detects that an image speaks MCP over stdio', async () => {
    const result = await home.json<Deployed & { tools: string[] }>(['up', '--image', ADDER], { env })
    expect(result.tools).toEqual(['add', 'remember'])
    expect(await call('adder', 'add', 'a=2', 'b=3')).toBe('5')
    expect(await engine.status('adder')).toMatchObject({ config: { engine: 'container', image: ADDER } })
    expect(engine.containers(result.deployment_id)).toHaveLength(1)
    const format = ['--format', '{{json .HostConfig}}']
    const [container] = engine.containers(result.deployment_id)
    const settings = JSON.parse(engine.podman('inspect', container!, ...format))
    expect(settings).toMatchObject({ ReadonlyRootfs: true, PortBindings: {} })
  }, 60_000)

  test('a deployed docker run command keeps variables, mounts, limits and DATA_DIR across restarts, releases and stops', async () => {
    const options = `-e HOME=/data -e PLACE=/ -v ${data}:/data -m 64m -u 1234`
    const command = `docker run -i --rm ${options} ${ADDER}`
    const args = ['deploy', '--command', command, '--name', 'counter']
    const first = await home.json<Deployed>(args, { env })
    const remember = async (count: string) => {
      expect(await call('counter', 'remember')).toBe(count)
      expect(await call('counter', 'remember', 'variable=DATA_DIR')).toBe(count)
    }
    await remember('1')
    engine.podman('kill', '--signal', 'KILL', engine.containerOf(first.deployment_id))
    await eventually(async () => (await logOf(first.deployment_id)).includes('was killed by SIGKILL'))
    await remember('2')
    const second = await home.json<Deployed>(args, { env })
    expect(second.url).toBe(first.url)
    await remember('3')
    await eventually(() => engine.containers(first.deployment_id).length === 0)
    await home.mcp(['stop', 'counter'], { env })
    await home.mcp(['start', 'counter'], { env })
    await remember('4')
    expect((await engine.status('counter')).config.limits).toEqual({ memory_mb: 64 })
    expect(readFileSync(join(data, 'count'), 'utf8')).toBe('4')
    const folder = join(home.dir, 'state', 'counter', 'development')
    expect(readFileSync(join(folder, 'files', 'count'), 'utf8')).toBe('4')
    expect(statSync(join(folder, 'files', 'count')).uid).toBe(1234)
    const { file } = await home.json<{ file: string }>(['daemon', 'backup'], { env })
    const { manifest } = JSON.parse(readFileSync(file.replace(/db$/, 'json'), 'utf8'))
    expect(manifest.state).toHaveProperty(['counter/development/files/count'])

    const failed = await home.mcp(['call', 'counter', 'remember', 'variable=PLACE'], { env })
    expect(failed.stdout + failed.stderr).toContain('Let it write to $DATA_DIR')
    await eventually(async () => (await logOf(second.deployment_id)).includes('It can write to DATA_DIR'))
    await home.json(['remove', 'counter', '--data', '--yes'], { env })
    expect(existsSync(folder)).toBe(false)
  }, 90_000)

  test('with --isolation session, each session has a separate container', async () => {
    const args = ['deploy', '--image', ADDER, '--name', 'apart', '--isolation', 'session']
    const { url, deployment_id } = await home.json<Deployed>(args, { env })
    await Promise.all([callInSession(url), callInSession(url)])
    expect(engine.containers(deployment_id).length).toBeGreaterThanOrEqual(2)
    await home.json(['stop', deployment_id], { env })
    await eventually(() => engine.containers(deployment_id).length === 0)
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
    expect(engine.containers().length).toBeGreaterThan(0)
    await home.mcp(['daemon', 'stop'], { env })
    expect(engine.containers()).toEqual([])
  }, 60_000)

  async function call(server: string, tool: string, ...args: string[]): Promise<string> {
    const result = await home.json<{ content: { text: string }[] }>(['call', server, tool, ...args], { env })
    return result.content[0]!.text
  }

  async function callInSession(url: string): Promise<void> {
    const add = rpc('tools/call', { name: 'add', arguments: { a: 1, b: 1 } })
    expect((await post(url, add, await beginSession(url))).text).toContain('"2"')
  }

  async function logOf(id: string): Promise<string> {
    return (await engine.logs(id)).join('\n')
  }
})
