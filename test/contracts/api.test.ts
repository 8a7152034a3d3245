import { readFileSync } from 'node:fs'
import { validate as validateOpenApi } from '@apidevtools/swagger-parser'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestDaemon } from '../helpers/daemon.ts'
import { seedSmallBase } from '../helpers/small-base.ts'
import { testBuilds, testUnusedBuilds } from './answers/builds.ts'
import { testChats } from './answers/chats.ts'
import { testDaemon } from './answers/daemon.ts'
import { testDeployments } from './answers/deployments.ts'
import { testProjects } from './answers/projects.ts'
import type { Contract } from './contract.ts'
import { testErrors } from './errors.ts'
import { testLists } from './lists.ts'
import { OpenApiClient } from './openapi-client.ts'
import { testPreconditions } from './preconditions.ts'
import { proofTable, referenceWith } from './proof-table.ts'

/**
 * Walks every operation of the API and holds every answer (status, headers, body) against the served OpenAPI
 * description; then makes sure that every answer which the description lists was seen.
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

describe('the description', () => {
  test('is valid OpenAPI 3.1', async () => {
    await validateOpenApi(structuredClone(api.document))
    expect(api.document.openapi).toMatch(/^3\.1/)
  })

  test('lists every endpoint of the service interface that this release serves', () => {
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

test('the API reference lists every operation with the scope it needs, and no other', () => {
  const reference = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8')
  const listed = [
    ...reference.matchAll(/^\| `([A-Z]+ \/[^`]*)` \| ([A-Z_]+(?: or [A-Z_]+)?|any key|none) \|/gm),
  ].map(([, line, scope]) => `${line} ${scope}`)
  const served = api.operations.map(({ method, path, spec }) => {
    const withoutScope = spec.security?.length === 0 ? 'none' : 'any key'
    return `${method} ${path} ${spec['x-scopes']?.join(' or ') ?? withoutScope}`
  })
  expect(listed.toSorted()).toEqual(served.toSorted())
})

describe('every answer in the good case is as described:', () => {
  testBuilds(contract)
  testChats(contract)
  testProjects(contract)
  testDeployments(contract)
  testDaemon(contract)
  testUnusedBuilds(contract)
})

describe('every list', () => testLists(contract))

describe('every precondition is as described:', () => testPreconditions(contract))

describe('every error is as described:', () => {
  testErrors(contract)
})

test('every described answer was seen, but for faults where nothing is read', () => {
  const all = api.operations.flatMap(({ spec }) =>
    Object.keys(spec.responses).map(status => `${spec.operationId} ${status}`),
  )
  const unseen = all.filter(label => !api.seen.has(label) && !/^get(DaemonHealth|OpenApi) 500$/.test(label))
  expect(unseen).toEqual([])
})

test('the API reference tells of every answer which test proves it', () => {
  expect(referenceWith('answers', proofTable(api))).toContain(proofTable(api))
})
