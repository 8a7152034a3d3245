import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { tarGz } from '../../helpers/archives.ts'
import { ContainerTools, HAS_CONTAINER_TOOLS } from '../../helpers/containers/containers.ts'
import { seedNodeBase } from '../../helpers/containers/node-base.ts'
import { HAS_PYTHON, makePythonBase, seedPythonNode } from '../../helpers/containers/python-base.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import {
  filesWithDependency,
  startRegistry as startNpmRegistry,
  startScriptRegistry,
} from '../../helpers/services/npm-registry.ts'
import { uniqueName } from '../../helpers/unique-name.ts'

const STDIO_SERVER = new URL('../../fixtures/programs/stdio-server.mjs', import.meta.url)
const EXAMPLE = new URL('../../../examples/weather/', import.meta.url)

describe.runIf(HAS_CONTAINER_TOOLS)('images in a registry', () => {
  let tools: ContainerTools
  let daemon: TestDaemon

  beforeAll(async () => {
    tools = await ContainerTools.open()
    daemon = await startTestDaemon({ registry: { imageRepository: `${tools.registry}/team` } })
    await seedNodeBase(daemon.home.images)
  }, 60_000)

  afterEach(() => vi.unstubAllEnvs())

  afterAll(async () => {
    await daemon.close()
    await tools[Symbol.asyncDispose]()
  }, 60_000)

  test('an image of a declared server can be pushed, inspected, pulled and run without privileges', async () => {
    const build = await buildImage({
      'mcp.config.json': readFileSync(join(EXAMPLE.pathname, 'mcp.config.json'), 'utf8'),
    })
    const inspected = JSON.parse(tools.skopeo('inspect', '--tls-verify=false', `docker://${build.imageUri}`))
    expect(inspected).toMatchObject({ Digest: build.imageDigest, Os: 'linux' })
    tools.podman('pull', '--tls-verify=false', build.imageUri)
    const { name, url } = await tools.run(build.imageUri)
    const answer = await callTool(url, 'current_weather', { city: 'Oslo' })
    expect(JSON.stringify(answer)).toContain('Norway')
    expect(tools.podman('exec', name, '/usr/local/bin/node', '-p', 'process.getuid()').trim()).toBe('65532')
    tools.podman('stop', '-t', '10', name)
    expect(tools.podman('inspect', name, '--format', '{{.State.ExitCode}}').trim()).toBe('0')
  }, 120_000)

  test('an image of a TypeScript project with dependencies is reproducible and answers a client', async () => {
    const npm = await startNpmRegistry()
    try {
      const files = {
        ...filesWithDependency(npm),
        'mcp.config.json': '{"name":"answer","template":"custom"}',
        'tools/answer.ts': `import tiny from 'tiny'\nexport default { description: 'The answer', handler: () => String(tiny) }`,
      }
      const first = await buildImage(files)
      const second = await buildImage(files)
      expect(second.imageDigest).toBe(first.imageDigest)
      tools.podman('pull', '--tls-verify=false', first.imageUri)
      const { url } = await tools.run(first.imageUri)
      expect(await callTool(url, 'answer', {})).toMatchObject({ content: [{ type: 'text', text: '42' }] })
    } finally {
      npm.close()
    }
  }, 120_000)

  test('an image of an npm package over stdio answers a client', async () => {
    using npm = await startScriptRegistry('echo-server', readFileSync(STDIO_SERVER, 'utf8'))
    vi.stubEnv('npm_config_registry', npm.url)
    const program = { type: 'stdio', command: 'npx', args: ['-y', 'echo-server'] }
    const build = await buildImage({
      'mcp.config.json': JSON.stringify({ name: 'echo', template: 'custom', program }),
    })
    tools.podman('pull', '--tls-verify=false', build.imageUri)
    const { url } = await tools.run(build.imageUri)
    expect(await callTool(url, 'echo', { text: 'hello' })).toMatchObject({ content: [{ text: 'hello' }] })
  }, 180_000)

  test.runIf(HAS_PYTHON)(
    'an image of a Python program needs a base image with Python, whose layers are not sent again',
    async () => {
      const files = {
        'mcp.config.json': JSON.stringify({
          name: 'python-notes',
          template: 'custom',
          program: { type: 'stdio', command: 'python3', args: ['stdio_server.py'] },
        }),
        'stdio_server.py': readFileSync(
          new URL('../../fixtures/programs/stdio_server.py', import.meta.url),
          'utf8',
        ),
      }
      const refused = await runBuild(files)
      expect(refused).toMatchObject({
        status: 'failed',
        errorMessage: expect.stringMatching(
          /INVALID_MCP: "python-notes" cannot become an image: it runs "python3"/,
        ),
      })
      const layout = join(tools.directory, 'python')
      await makePythonBase(layout)
      await seedPythonNode(layout, daemon.home.images)
      const base = `${tools.registry}/bases/python:3`
      tools.skopeo('copy', '--dest-tls-verify=false', `oci:${layout}:python:3`, `docker://${base}`)
      const build = await buildImage(files, { baseImage: base })
      const { body: log } = await daemon.api('GET', `/api/lambda-builds/${build.id}/logs?phase=PUSH`)
      const { Layers: ofBase } = JSON.parse(tools.skopeo('inspect', '--tls-verify=false', `docker://${base}`))
      const sent = log.lines.map(({ message }: { message: string }) => message)
      for (const digest of ofBase) expect(sent.join('\n')).toContain(`known ${digest}`)
      tools.podman('pull', '--tls-verify=false', build.imageUri)
      const { url } = await tools.run(build.imageUri)
      expect(await callTool(url, 'add', { a: 2, b: 3 })).toMatchObject({ content: [{ text: '5' }] })
    },
    180_000,
  )

  async function buildImage(files: Record<string, string>, project?: object) {
    const build = await runBuild(files, project)
    expect(build).toMatchObject({ status: 'succeeded', errorMessage: '' })
    return build
  }

  async function runBuild(files: Record<string, string>, facts: object = {}) {
    const { body: project } = await daemon.api('POST', '/api/projects', {
      body: { name: uniqueName('image'), ...facts },
    })
    const source = tarGz(Object.entries(files).map(([name, content]) => ({ name, content })))
    const headers = { 'content-type': 'application/gzip' }
    await daemon.api('PUT', `/api/projects/${project.id}/source`, { body: source, headers })
    const { body } = await daemon.api('POST', `/api/lambda-builds/trigger/${project.id}`)
    const read = async () => (await daemon.api('GET', `/api/lambda-builds/${body.id}`)).body
    await expect.poll(async () => (await read()).endTime, { timeout: 60_000 }).not.toBe('')
    return read()
  }
})

async function callTool(url: string, name: string, args: Record<string, unknown>) {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  try {
    return await client.callTool({ name, arguments: args })
  } finally {
    await client.close()
  }
}
