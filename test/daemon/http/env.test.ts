import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ServerEnv } from '../../../src/shared/contract/servers/variables.ts'
import { callTool, startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { buildServer, deploy, echoServer } from './fixtures.ts'

let daemon: TestDaemon

beforeAll(async () => {
  daemon = await startTestDaemon()
})

afterAll(() => daemon.close())

const SECRET = 'hunter2-hunter2-hunter2'

/** A server whose tool returns the values of two variables. */
const server = (name: string) =>
  echoServer(name, {
    template: 'advanced',
    tools: [
      {
        ...echoServer().tools[0],
        handler: { type: 'template', text: '{{ env.SHOP_URL }} {{ env.API_KEY }}' },
      },
    ],
    env: [{ name: 'SHOP_URL', required: true, description: 'URL of the shop' }, 'API_KEY'],
  })
const say = async (url: string) => (await callTool(url, 'say', { text: '' })).content[0].text
const at = (name: string, environment = 'staging') => `/v1/servers/${name}/env/${environment}`
const store = async (path: string, variables: unknown, headers = {}) =>
  daemon.api('PATCH', path, { body: { variables }, headers })
const show = async (path: string) => (await daemon.api('GET', path)).body.data

test('variables can be stored before the first build, and secret values are never shown', async () => {
  const { status, body } = await store(at('early'), {
    SHOP_URL: 'https://a.example',
    API_KEY: SECRET,
    DATABASE: `postgres://shop:${SECRET}@db.example/shop`,
    REGION: { value: SECRET, secret: true },
  })
  expect(status).toBe(200)
  expect(body.data).toMatchObject({
    name: 'early',
    environment: 'staging',
    live_deployment: null,
    missing: [],
  })
  expect(
    Object.fromEntries(
      body.data.variables.map((one: ServerEnv['variables'][number]) => [one.name, one.value]),
    ),
  ).toEqual({
    API_KEY: null,
    DATABASE: null,
    REGION: null,
    SHOP_URL: 'https://a.example',
  })
  expect((await daemon.api('GET', at('early'))).text).not.toContain(SECRET)
  for (const suffix of ['', '-wal']) {
    const file = readFileSync(daemon.home.database + suffix)
    expect([file.includes(SECRET), file.includes('https://a.example')]).toEqual([false, false])
  }
})

test('a secret stays secret until it is removed', async () => {
  const path = at('secretive')
  await store(path, { API_KEY: SECRET })
  await store(path, { API_KEY: { value: 'other', secret: false } })
  expect((await show(path)).variables).toMatchObject([{ name: 'API_KEY', secret: true, value: null }])
  await store(path, { API_KEY: null })
  await store(path, { API_KEY: { value: 'other', secret: false } })
  expect((await show(path)).variables).toMatchObject([{ name: 'API_KEY', secret: false, value: 'other' }])
})

test('deployments get the stored variables, and the error for a missing one says how to store it', async () => {
  const mcp_id = await buildServer(daemon, server('shop'))
  const body = { mcp_id, environment: 'staging' }
  const refused = await daemon.api('POST', '/v1/deploy', { body })
  expect([refused.status, refused.body.error.message]).toEqual([
    400,
    expect.stringContaining('SHOP_URL in staging. Store it with PATCH /v1/servers/shop/env/staging'),
  ])
  expect((await show(at('shop'))).missing).toEqual([
    { name: 'SHOP_URL', required: true, secret: false, description: 'URL of the shop' },
    { name: 'API_KEY', required: false, secret: true },
  ])
  await store(at('shop'), { SHOP_URL: 'https://a.example', UNDECLARED: 'x' })
  const { url, deployment_id } = await deploy(daemon, mcp_id, 'staging', { env_vars: { API_KEY: 'k1' } })
  expect(await say(url)).toBe('https://a.example k1')
  expect(await show(at('shop'))).toMatchObject({
    live_deployment: deployment_id,
    variables: [
      { name: 'SHOP_URL', released: true, declared: true },
      { name: 'UNDECLARED', released: false, declared: false },
    ],
    missing: [],
  })
  await deploy(daemon, mcp_id, 'staging', { env_vars: { SHOP_URL: 'https://once.example' } })
  expect(await say(url)).toBe('https://once.example ')
  await deploy(daemon, mcp_id, 'staging')
  expect(await say(url)).toBe('https://a.example ')
  expect((await show(at('shop', 'production'))).variables).toEqual([])
})

test('a deploy request stores variables only if it is accepted', async () => {
  const mcp_id = await buildServer(daemon, server('kept'))
  const request = (variables: unknown) =>
    daemon.api('POST', '/v1/deploy', { body: { mcp_id, environment: 'staging', variables } })
  const refused = await request({ SHOP_URL: 'x', SHOP_ULR: 'y' })
  expect([refused.status, refused.body.error.details]).toEqual([400, expect.stringContaining('SHOP_ULR')])
  expect((await show(at('kept'))).variables).toEqual([])
  expect((await request({ SHOP_URL: 'https://b.example', API_KEY: SECRET })).status).toBe(201)
  expect(await say((await deploy(daemon, mcp_id, 'staging')).url)).toBe(`https://b.example ${SECRET}`)
})

test('a restart keeps the values of the release, and a new release of the same build gets the stored ones', async () => {
  const mcp_id = await buildServer(daemon, server('changed'))
  await store(at('changed'), { SHOP_URL: 'https://one.example', API_KEY: 'k1' })
  const { url, deployment_id } = await deploy(daemon, mcp_id, 'staging')
  await store(at('changed'), { SHOP_URL: 'https://two.example', API_KEY: null })
  await daemon.api('POST', `/v1/deploy/${deployment_id}/restart`)
  expect(await say(url)).toBe('https://one.example k1')
  expect((await show(at('changed'))).variables).toMatchObject([{ name: 'SHOP_URL', released: false }])
  const released = await daemon.api('POST', `${at('changed')}/release`)
  expect([released.status, released.body.data.status]).toEqual([201, 'deployed'])
  expect(await say(url)).toBe('https://two.example ')
  const rolledBack = await daemon.api('POST', `/v1/deploy/${released.body.data.deployment_id}/rollback`)
  expect(rolledBack.body.data.warnings).toEqual([
    'This restores the environment variable API_KEY.',
    'The environment variable SHOP_URL has its previous value again.',
    'The stored variables are unchanged. The next deployment gets them.',
  ])
  expect(await say(url)).toBe('https://one.example k1')
  await daemon.api('POST', `${at('changed')}/release`)
  expect(await say(url)).toBe('https://two.example ')
})

test('the preview gets the development variables, including changes while it runs', async () => {
  const mcp_id = await buildServer(daemon, server('previewed'))
  const { url } = (await daemon.api('GET', `/v1/build/${mcp_id}`)).body.data
  await store(at('previewed', 'production'), { SHOP_URL: 'https://production.example' })
  await store(at('previewed', 'development'), { SHOP_URL: 'https://one.example' })
  expect(await say(url)).toBe('https://one.example ')
  await store(at('previewed', 'development'), { SHOP_URL: 'https://two.example' })
  await expect.poll(() => say(url)).toBe('https://two.example ')
})

test('a change with the entity tag of an older version is rejected, even when only a secret changed', async () => {
  const { headers } = await store(at('tagged'), { API_KEY: 'one' })
  await store(at('tagged'), { API_KEY: 'two' })
  const late = await store(at('tagged'), { API_KEY: 'three' }, { 'if-match': headers.etag })
  expect([late.status, late.body.error.code]).toEqual([412, 'PRECONDITION_FAILED'])
})

test('rejects invalid names, values and environments without repeating the value', async () => {
  for (const [variables, details] of [
    [{ '1A': SECRET }, /^variables\.1A/],
    [{ A: `${SECRET}\0` }, /^variables\.A/],
    [{ A: 7 }, /^variables\.A/],
    [{}, /^variables: must name at least one variable/],
  ] as const) {
    const { status, body, text } = await store(at('checked'), variables)
    expect([status, body.error.details]).toEqual([400, expect.stringMatching(details)])
    expect(text).not.toContain(SECRET)
  }
  expect((await store(at('checked', 'moon'), { A: 'x' })).status).toBe(400)
})

test('rejects variables that are too large for Linux, measured as NAME=value in UTF-8 bytes', async () => {
  const largest = 'x'.repeat(131_069)
  expect((await store(at('large'), { A: largest, B: { value: largest } })).status).toBe(200)
  const details =
    'NAME=value has 131,072 bytes in UTF-8, expected at most 131,071, the limit of Linux for one variable'
  for (const value of [`${largest}x`, { value: `${largest}x` }]) {
    const { status, body } = await store(at('large'), { A: value })
    expect([status, body.error.details]).toEqual([400, `variables.A: ${details}`])
  }
  const config = { env_vars: { A: '€'.repeat(65_536) } }
  const mcp_id = await buildServer(daemon, server('large'))
  const refused = await daemon.api('POST', '/v1/deploy', {
    body: { mcp_id, environment: 'staging', config },
  })
  expect([refused.status, refused.body.error.details]).toEqual([
    400,
    expect.stringMatching(/^config\.env_vars\.A: NAME=value has 196,610 bytes/),
  ])
  const body = {
    ...server('large'),
    env: [{ name: 'A', default: `${largest}x` }],
    env_vars: { A: `${largest}x`, B: '\0' },
  }
  const build = await daemon.api('POST', '/v1/build', { body })
  expect([build.status, build.body.error.details]).toEqual([
    422,
    [
      `env[0].default: ${details}`,
      'env_vars.B: must not contain a NUL character',
      `env_vars.A: ${details}`,
    ].join('\n'),
  ])
})
