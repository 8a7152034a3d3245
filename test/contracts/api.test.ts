import { readFileSync } from 'node:fs'
import { validate as validateOpenApi } from '@apidevtools/swagger-parser'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seedSmallBase } from '../helpers/containers/small-base.ts'
import { startTestDaemon } from '../helpers/daemon/daemon.ts'
import { testAccess } from './answers/access.ts'
import { testBuilds, testUnusedBuilds } from './answers/builds.ts'
import { testChats } from './answers/chats.ts'
import { testDaemon } from './answers/daemon.ts'
import { testDeployments } from './answers/deployments.ts'
import { testProjects } from './answers/projects.ts'
import { testRequests } from './answers/requests.ts'
import type { Contract } from './contract.ts'
import { testErrors } from './errors.ts'
import { testLists } from './lists.ts'
import { OpenApiClient } from './openapi-client.ts'
import { testPreconditions } from './preconditions.ts'
import { proofTable, referenceWith } from './proof-table.ts'

/**
 * Calls every operation of the API and checks every response (status, headers, body) against the served OpenAPI description.
 * Then checks that every documented response was seen.
 */
const contract = { stops: 0, upgrades: 0 } as Contract
let api: OpenApiClient

beforeAll(async () => {
  const daemon = await startTestDaemon({
    requestStop: () => contract.stops++,
    upgrades: { begin: () => contract.upgrades++, state: () => null },
  })
  await seedSmallBase(daemon.home.images)
  api = await OpenApiClient.open(daemon)
  Object.assign(contract, { daemon, api })
})

afterAll(() => contract.daemon.close())

describe('the OpenAPI description', () => {
  test('the OpenAPI description is valid OpenAPI 3.1', async () => {
    await validateOpenApi(structuredClone(api.document))
    expect(api.document.openapi).toMatch(/^3\.1/)
  })

  test('the OpenAPI description lists the main endpoints of the service interface', () => {
    const all = api.operations.map(({ method, path }) => `${method} ${path}`)
    expect(all).toEqual(
      expect.arrayContaining([
        'POST /v1/build',
        'POST /v1/test',
        'POST /v1/deploy',
        'GET /v1/deploy/{deployment_id}/status',
        'GET /api/deployments/api-key/info',
        'GET /api/chat-messages/chat/id/{chatId}/count',
        'GET /api/lambda-deploy/{id}/health',
        'POST /api/lambda-builds/trigger/{projectId}',
        'GET /api/lambda-builds/{id}/logs',
        'DELETE /api/lambda-mapping/{subdomain}',
      ]),
    )
  })
})

test('the API reference lists every operation with the scope that it requires, and no other operations', () => {
  const reference = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8')
  const listed = [
    ...reference.matchAll(/^\| `([A-Z]+ \/[^`]*)` \| ([A-Z_]+(?: or [A-Z_]+)*|any key|none) \|/gm),
  ].map(([, line, scope]) => `${line} ${scope}`)
  const served = api.operations.map(({ method, path, spec }) => {
    const withoutScope = spec.security?.length === 0 ? 'none' : 'any key'
    return `${method} ${path} ${spec['x-scopes']?.join(' or ') ?? withoutScope}`
  })
  expect(listed.toSorted()).toEqual(served.toSorted())
})

describe('every success response matches its description', () => {
  testBuilds(contract)
  testChats(contract)
  testProjects(contract)
  testDeployments(contract)
  testRequests(contract)
  testAccess(contract)
  testDaemon(contract)
  testUnusedBuilds(contract)
})

describe('every list', () => testLists(contract))

describe('every precondition matches its description', () => testPreconditions(contract))

describe('every error matches its description', () => {
  testErrors(contract)
})

test('the tests see every described response, except 500 for operations that read nothing', () => {
  const all = api.operations.flatMap(({ spec }) =>
    Object.keys(spec.responses).map(status => `${spec.operationId} ${status}`),
  )
  const unseen = all.filter(label => !api.seen.has(label) && !/^get(DaemonHealth|OpenApi) 500$/.test(label))
  expect(unseen).toEqual([])
})

test('the coverage report names the tests of every response', () => {
  expect(referenceWith('answers', proofTable(api))).toContain(proofTable(api))
})
