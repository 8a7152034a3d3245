import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
// @ts-expect-error the example is an untyped script
import { startBooksApi } from '../../../examples/http-api/api.mjs'
import { connectToServer, type McpConnection } from '../../../src/shared/mcp-client/connect.ts'
import { startHome } from '../../helpers/daemon/daemon-home.ts'
import type { TestHome } from '../../helpers/daemon/mcp.ts'

const examples = fileURLToPath(new URL('../../../examples', import.meta.url))

let home: TestHome
let api: { url: string; close(): Promise<void> }
beforeAll(async () => {
  home = await startHome()
  api = await startBooksApi()
})
afterAll(async () => {
  await api.close()
  await home.remove()
})

interface Up {
  mcp_id: string
  deployment_id: string
  url: string
  health_check: string
  tools: unknown[]
  call: unknown
}

const up = (example: string) => home.json<Up>(['up', join(examples, example)])
const deploy = (example: string, ...settings: string[]) =>
  home.json<Up>(['deploy', join(examples, example), ...settings.flatMap(setting => ['--set', setting])])

async function use<T>(url: string, work: (connection: McpConnection) => Promise<T>): Promise<T> {
  const connection = await connectToServer(url)
  try {
    return await work(connection)
  } finally {
    await connection.close()
  }
}

function textOf(content: readonly object[] | undefined): string {
  const [first] = content ?? []
  return first && 'text' in first ? String(first.text) : ''
}

/** Calls each tool of the server once. */
async function callAll(url: string, calls: Record<string, Record<string, unknown>>) {
  return use(url, async ({ client }) => {
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name).sort()).toEqual(Object.keys(calls).sort())
    const results = await Promise.all(
      Object.entries(calls).map(
        async ([name, args]) => [name, await client.callTool({ name, arguments: args })] as const,
      ),
    )
    return Object.fromEntries(results)
  })
}

describe('weather', () => {
  let server: Up
  beforeAll(async () => {
    server = await up('weather')
  })

  it('mcp up deploys the weather example and calls a tool', () => {
    expect(server).toMatchObject({
      mcp_id: expect.stringMatching(/^mcp_/),
      deployment_id: expect.stringMatching(/^dep_/),
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/),
      call: { tool: expect.any(String) },
    })
    expect(server.tools).toHaveLength(3)
  })

  it('the weather example answers every tool call from the table', async () => {
    const results = await callAll(server.url, {
      current_weather: { city: 'Oslo', units: 'fahrenheit' },
      forecast: { city: 'Cape Town' },
      compare_cities: { cities: ['Oslo', 'Cairo', 'Lima'] },
    })
    expect(results.current_weather?.structuredContent).toEqual({
      city: 'Oslo',
      country: 'Norway',
      units: 'fahrenheit',
      temperature: 39.2,
      feels_like: 33.8,
      humidity_percent: 74,
      wind_kmh: 14,
      condition: 'cloudy',
    })
    expect(results.forecast?.structuredContent).toMatchObject({
      city: 'Cape Town',
      days: [{ day: 'Monday' }, { day: 'Tuesday' }, { day: 'Wednesday', high_c: 21 }],
    })
    expect(results.compare_cities?.content).toMatchObject([
      { text: expect.stringContaining('Warmest: Cairo.') },
    ])
  })

  it('for an unknown city, the weather example lists the known cities and suggests a similar one', async () => {
    const ended = await home.mcp(['call', 'weather', 'current_weather', 'city=osl'])
    expect(ended.stdout).toBe('')
    expect(ended.stderr).toContain('"city" must be one of "Amsterdam"')
    expect(ended.stderr).toContain('did you mean "Oslo"?')
  })

  it.each(['city=Atlantis', 'days=3', 'days=abc', 'city=Oslo days=9', 'city=Oslo days:="x"'])(
    'calling the weather example with %s exits with 2',
    async values => {
      const ended = await home.mcp(['call', 'weather', 'forecast', ...values.split(' ')])
      expect(ended.code).toBe(2)
    },
  )

  it('the weather example has resources, a resource template with completion, and a prompt', async () => {
    await use(server.url, async ({ client }) => {
      const { resources } = await client.listResources()
      const { resourceTemplates } = await client.listResourceTemplates()
      expect(resources.map(({ uri }) => uri)).toEqual(['cities://all'])
      expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['weather://{city}'])
      const cities = await client.readResource({ uri: 'cities://all' })
      expect(cities.contents).toMatchObject([
        { mimeType: 'text/plain', text: expect.stringContaining('Cape Town\n') },
      ])
      const oslo = await client.readResource({ uri: 'weather://Cape%20Town' })
      expect(JSON.parse(textOf(oslo.contents))).toMatchObject({
        country: 'South Africa',
      })
      const completed = await client.complete({
        ref: { type: 'ref/resource', uri: 'weather://{city}' },
        argument: { name: 'city', value: 'c' },
      })
      expect(completed.completion.values).toEqual(['Cairo', 'Cape Town'])
      const { messages } = await client.getPrompt({ name: 'plan_a_day', arguments: { city: 'Lima' } })
      expect(messages).toMatchObject([
        {
          role: 'user',
          content: { text: expect.stringContaining('in Lima for somebody who likes walking') },
        },
      ])
    })
  })

  it('the weather example sends log messages and progress', async () => {
    const ended = await home.mcp(['call', 'weather', 'compare_cities', 'cities=Oslo,Lima'])
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('| Oslo | 4 | cloudy |') })
    expect(ended.stderr).toContain('[info] weather: Comparing Oslo, Lima')
    expect(ended.stderr).toContain('1/2 Looked up 2 cities')
  })

  it('mcp call, read, prompt, tools and resources work with the weather example', async () => {
    expect(await home.json(['call', 'weather', 'forecast', 'city=Oslo', 'days=1'])).toMatchObject({
      structuredContent: { days: [{ day: 'Monday', low_c: 0 }] },
    })
    expect((await home.mcp(['read', 'weather', 'weather://Oslo'])).stdout).toContain('"country":"Norway"')
    expect((await home.mcp(['prompt', 'weather', 'plan_a_day', 'city=Oslo'])).stdout).toContain(
      'user: Plan a day in Oslo',
    )
    expect((await home.mcp(['tools', 'weather'])).stdout).toMatch(/current_weather +city, \[units\]/)
    expect(await home.json(['resources', 'weather'])).toMatchObject({
      resources: [{}],
      resourceTemplates: [{}],
    })
    expect(await home.mcp(['call', 'weather', 'forcast', 'city=Oslo'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('Did you mean "forecast"?'),
    })
    expect(await home.mcp(['read', 'weather', 'cities://al'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('Did you mean "cities://all"?'),
    })
  })
})

describe('http-api', () => {
  let server: Up
  beforeAll(async () => {
    server = await deploy('http-api', `BOOKS_API_URL=${api.url}`)
  })

  it('the http-api example calls the API for every tool', async () => {
    const results = await callAll(server.url, {
      search_books: { text: 'guin' },
      get_book: { id: 'b3' },
      reserve_book: { id: 'b1', name: 'Ada & Co', copies: 2 },
    })
    expect(results.search_books?.content).toMatchObject([
      {
        text: expect.stringMatching(
          /^2 found\n- b1: The Left Hand of Darkness by Ursula K. Le Guin \(1969\)\n/,
        ),
      },
    ])
    expect(results.get_book?.structuredContent).toEqual({
      title: 'Solaris',
      author: 'Stanislaw Lem',
      year: 1961,
      available: true,
    })
    expect(results.reserve_book?.content).toMatchObject([
      { text: 'Reserved 2 of The Left Hand of Darkness for Ada & Co.' },
    ])
  })

  it('the http-api example turns a rejected request into a tool error without the token', async () => {
    const result = await use(server.url, ({ client }) =>
      client.callTool({ name: 'reserve_book', arguments: { id: 'b2', name: 'Ada' } }),
    )
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('409') }] })
    expect(JSON.stringify(result)).not.toContain('demo-token')
  })

  it('the http-api example reads a resource template from the API', async () => {
    const { contents } = await use(server.url, ({ client }) => client.readResource({ uri: 'book://b4' }))
    expect(JSON.parse(textOf(contents))).toMatchObject({ title: 'Kindred' })
  })
})

describe('from-openapi', () => {
  it('the from-openapi example equals the output of mcp init for the description', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcp-init-'))
    const description = join(examples, 'from-openapi', 'openapi.yaml')
    await home.json(['init', folder, '--name', 'book-shop-api', '--from-openapi', description])
    const made = JSON.parse(readFileSync(join(folder, 'mcp.config.json'), 'utf8'))
    rmSync(folder, { recursive: true })
    const kept = JSON.parse(readFileSync(join(examples, 'from-openapi', 'mcp.config.json'), 'utf8'))
    expect({ ...made, $schema: '' }).toEqual({ ...kept, $schema: '' })
  })

  it('the from-openapi example calls every operation', async () => {
    const server = await deploy('from-openapi', `API_BASE_URL=${api.url}`, 'API_TOKEN=demo-token')
    const results = await callAll(server.url, {
      listBooks: { q: 'stru', limit: 5 },
      getBook: { bookId: 'b5' },
      reserveBook: { bookId: 'b5', name: 'Grace' },
    })
    expect(results.listBooks?.structuredContent).toMatchObject({ total: 1, items: [{ id: 'b5' }] })
    expect(results.getBook?.structuredContent).toMatchObject({ title: 'Roadside Picnic' })
    expect(results.reserveBook?.content).toMatchObject([{ text: expect.stringContaining('"copies":1') }])
  })
})

describe('basic', () => {
  let server: Up
  beforeAll(async () => {
    server = await up('basic')
  })

  it('the basic example answers every tool call, with a sample if the tool has no handler', async () => {
    const results = await callAll(server.url, {
      find_person: { name: 'GRACE' },
      holidays_left: { taken: 5 },
      book_room: { room: 'Fjord', hour: 9 },
    })
    expect(results.find_person?.content).toMatchObject([{ text: 'Grace: head of operations, desk 1-03.' }])
    expect(JSON.parse(textOf(results.holidays_left?.content))).toEqual({
      a_year: 28,
      taken: 5,
      left: 23,
    })
    expect(results.book_room?._meta).toMatchObject({ 'mcp-hosting/sample': true })
    expect(results.book_room?.structuredContent).toMatchObject({ confirmed: expect.any(Boolean) })
  })

  it('the basic example serves a file of the project and part of its table', async () => {
    const rules = readFileSync(join(examples, 'basic', 'rules.md'), 'utf8')
    await use(server.url, async ({ client }) => {
      const file = await client.readResource({ uri: 'handbook://rules' })
      expect(file.contents).toMatchObject([{ mimeType: 'text/markdown', text: rules }])
      const people = await client.readResource({ uri: 'handbook://people' })
      expect(JSON.parse(textOf(people.contents))).toHaveProperty('ada.desk', '2-14')
    })
  })

  it('the basic example fills in the prompt and requires its arguments', async () => {
    const filled = await home.mcp(['prompt', 'handbook', 'welcome', 'name=Ada', 'role=engineer'])
    expect(filled.stdout).toContain('Write a warm welcome note for Ada, who starts as engineer.')
    const missing = await home.mcp(['prompt', 'handbook', 'welcome', 'name=Ada'])
    expect(missing.code).toBe(2)
    expect(missing.stderr).toContain('role')
  })
})
