import { expect, test } from 'vitest'
import { echoServer } from '../../daemon/http/fixtures.ts'
import { tarGz } from '../../helpers/archives.ts'
import type { Call, Contract } from '../contract.ts'

/** Tests projects, and container builds of their sources. */
export function testProjects(contract: Contract): void {
  const call: Call = (...input) => contract.api.call(...input)

  test('creates, lists, updates and deletes projects', async () => {
    const { body: project } = await call('createProject', {}, { body: { name: 'kept' } })
    const at = { id: project.id }
    expect((await call('getProject', at)).body).toEqual(project)
    await call('updateProject', at, { body: { description: 'Described' } })
    expect((await call('listProjects', {}, { query: 'name=kept&limit=1' })).body.items).toHaveLength(1)
    await call('updateProject', at, { body: { status: 'deleted' } })
    const upload = { body: 'x', headers: { 'content-type': 'application/gzip' } }
    expect((await call('putProjectSource', at, upload)).status).toBe(409)
    expect((await call('updateProject', at, { body: { name: 'x' } })).status).toBe(409)
  })

  test('triggers, stops and lists container builds', async () => {
    const { body: project } = await call('createProject', {}, { body: { name: 'image' } })
    expect((await call('triggerContainerBuild', { projectId: project.id })).body.error.code).toBe('NO_SOURCE')
    const source = tarGz([{ name: 'mcp.config.json', content: JSON.stringify(echoServer('image')) }])
    await call(
      'putProjectSource',
      { id: project.id },
      { body: source, headers: { 'content-type': 'application/gzip' } },
    )
    const { body: build } = await call('triggerContainerBuild', { projectId: project.id })
    const at = { id: build.id }
    expect((await call('stopContainerBuild', at)).body.status).toBe('stopped')
    expect((await call('stopContainerBuild', at)).status).toBe(409)
    expect((await call('getContainerBuild', at)).body).toMatchObject({ status: 'stopped' })
    await call('listContainerBuilds', {}, { query: 'limit=1' })
    await call('getContainerBuildLogs', at, { query: 'limit=1' })
  })
}
