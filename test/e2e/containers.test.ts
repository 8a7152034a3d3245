import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tarGz } from '../helpers/archives.ts'
import { ContainerTools, HAS_CONTAINER_TOOLS } from '../helpers/containers.ts'
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts'
import { filesWithDependency, startRegistry as startNpmRegistry } from '../helpers/npm-registry.ts'

const EXAMPLE = new URL('../../examples/weather/', import.meta.url)

describe.runIf(HAS_CONTAINER_TOOLS)('an image that programs of others take', () => {
  let tools: ContainerTools
  let daemon: TestDaemon

  beforeAll(async () => {
    tools = await ContainerTools.open()
    daemon = await startTestDaemon({ registry: { imageRepository: `${tools.registry}/team` } })
  }, 60_000)

  afterAll(async () => {
    await daemon.close()
    await tools[Symbol.asyncDispose]()
  }, 60_000)

  test('of a declared server is pushed, inspected, pulled, run without privileges, and answers a client', async () => {
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

  test('of a TypeScript project with dependencies has the same digest each time, and answers a client', async () => {
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

  async function buildImage(files: Record<string, string>) {
    const { body: project } = await daemon.api('POST', '/api/projects', { body: { name: 'image' } })
    const source = tarGz(Object.entries(files).map(([name, content]) => ({ name, content })))
    const headers = { 'content-type': 'application/gzip' }
    await daemon.api('PUT', `/api/projects/${project.id}/source`, { body: source, headers })
    const { body } = await daemon.api('POST', `/api/lambda-builds/trigger/${project.id}`)
    const read = async () => (await daemon.api('GET', `/api/lambda-builds/${body.id}`)).body
    await expect.poll(async () => (await read()).endTime, { timeout: 60_000 }).not.toBe('')
    const build = await read()
    expect(build).toMatchObject({ status: 'succeeded', errorMessage: '' })
    return build
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
