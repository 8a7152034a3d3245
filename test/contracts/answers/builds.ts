import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { echoServer } from '../../daemon/http/fixtures.ts'
import { createProjectFolder } from '../../helpers/daemon/project-folder.ts'
import { ASYNC, type Call, type Contract } from '../contract.ts'

/** Tests builds of definitions and of code. */
export function testBuilds(contract: Contract): void {
  const call: Call = (...input) => contract.api.call(...input)

  test('builds a server', async () => {
    const { body, headers } = await call('createBuild', {}, { body: echoServer() })
    expect(body.data).toMatchObject({ name: 'echo', status: 'ready', build_time: expect.any(Number) })
    contract.mcpId = body.data.mcp_id
    expect(headers.location).toBe(`/v1/build/${contract.mcpId}`)
    const started = await call('createBuild', {}, { body: echoServer(), headers: ASYNC })
    expect(started.body.data).toMatchObject({ status: 'building', build_time: 0 })
    const { body: page } = await call('listBuilds', {}, { query: 'name=echo&limit=1' })
    expect(page.data.items).toHaveLength(1)
    expect((await call('getBuild', { mcp_id: contract.mcpId })).body.data.url).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/mcp$/,
    )
    expect((await call('getArtifact', { mcp_id: contract.mcpId })).body.data).toMatchObject({
      format: 1,
      server: { name: 'echo' },
    })
  })

  test('builds a server from code', async () => {
    const { body: project } = await call('createProject', {}, { body: { name: 'code' } })
    using folder = createProjectFolder({
      'tools/hi.ts': `export default { description: 'Greets', handler: () => 'hi' }`,
    })
    const archive = execFileSync('tar', ['-cz', '-C', folder.path, '.'])
    const upload = { body: archive, headers: { 'content-type': 'application/gzip' } }
    const { body } = await call('putProjectSource', { id: project.id }, upload)
    const request = { name: 'code', template: 'custom', source: body.sourceId }
    const { body: built } = await call('createBuild', {}, { body: request })
    expect(built.data).toMatchObject({ status: 'ready', tools: ['hi'] })
    const { body: code } = await call('getBundle', { mcp_id: built.data.mcp_id })
    expect(code.data.bundle).toContain('tools/hi.ts')
    const { body: inspector } = await call('getInspector', { mcp_id: built.data.mcp_id })
    expect(inspector.data).toEqual({ url: null })
    expect((await call('getBundle', { mcp_id: contract.mcpId })).status).toBe(404)
  })

  test('exports a build as an image', async () => {
    expect((await call('getImage', { mcp_id: contract.mcpId })).status).toBe(200)
  })
}

/** Tests failed and unused builds. Removes all artifacts, so tests that need an earlier artifact must run first. */
export function testUnusedBuilds(contract: Contract): void {
  const call: Call = (...input) => contract.api.call(...input)

  test('accepts a build that then fails', async () => {
    rmSync(contract.daemon.home.artifacts, { recursive: true })
    writeFileSync(contract.daemon.home.artifacts, 'in the way')
    const { body } = await call('createBuild', {}, { body: echoServer('unlucky') })
    expect(body.data).toMatchObject({ status: 'failed', error: { code: 'UNAVAILABLE' } })
    expect((await call('getArtifact', { mcp_id: body.data.mcp_id })).status).toBe(409)
    expect((await call('getBundle', { mcp_id: body.data.mcp_id })).status).toBe(409)
    expect((await call('getSurface', { mcp_id: body.data.mcp_id })).status).toBe(409)
    expect((await call('getImage', { mcp_id: body.data.mcp_id })).status).toBe(409)
    rmSync(contract.daemon.home.artifacts)
  })

  test('removes a build', async () => {
    const { body } = await call('createBuild', {}, { body: echoServer('unused') })
    await call('removeBuild', { mcp_id: body.data.mcp_id })
  })

  test('lists and removes unused files and records', async () => {
    const { body: old } = await call('createBuild', {}, { body: echoServer('pruned') })
    await call('createBuild', {}, { body: echoServer('pruned') })
    const { body: list } = await call('listUnused')
    const wanted = { kind: 'build', id: old.data.mcp_id }
    expect(list.items).toContainEqual(expect.objectContaining({ ...wanted, reason: 'unused' }))
    const items = [wanted, { kind: 'build', id: 'mcp_none' }]
    const { body: result } = await call('removeUnused', {}, { body: { items } })
    expect(result).toMatchObject({ items: [wanted], kept: [{ id: 'mcp_none' }] })
  })

  test('removes a server', async () => {
    const { body } = await call('createBuild', {}, { body: echoServer('whole') })
    await call('removeServer', { name: 'whole' }, { query: 'data=true' })
    expect((await call('getBuild', { mcp_id: body.data.mcp_id })).status).toBe(404)
  })
}
