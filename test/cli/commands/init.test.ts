import { once } from 'node:events'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { loadProject } from '../../../src/cli/project/project.ts'
import { compileSchema } from '../../../src/shared/json/json-schema.ts'
import { createHome, runToEnd, type TestHome } from '../../helpers/daemon/mcp.ts'

const TSC = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url))

let home: TestHome
beforeEach(() => {
  home = createHome()
})
afterEach(() => home.remove())

const configOf = (folder: string) =>
  JSON.parse(readFileSync(join(home.dir, folder, 'mcp.config.json'), 'utf8'))

describe('mcp init', () => {
  it.each(['basic', 'advanced'])(
    'creates a valid %s project with a JSON schema for editors',
    async template => {
      const made = await home.json<{ files: string[] }>(['init', 'desk', '--template', template], {
        cwd: home.dir,
      })
      expect(made.files.sort()).toEqual([
        '.gitignore',
        'README.md',
        'mcp.config.json',
        'mcp.config.schema.json',
        'tests.yaml',
      ])
      const folder = join(home.dir, 'desk')
      expect((await loadProject(folder)).request).toMatchObject({ name: 'desk', template })
      const config = configOf('desk')
      const schema = JSON.parse(readFileSync(join(folder, config.$schema), 'utf8'))
      expect(compileSchema(schema)(config)).toBe(true)
      const readme = readFileSync(join(folder, 'README.md'), 'utf8')
      expect(readme).toContain('mcp call desk ')
      expect(readme).not.toContain('my-server')
    },
  )

  it('takes the name and tools from flags, and writes no handlers', async () => {
    await home.json(['init', 'x', '--name', 'shop', '--tool', 'find_it', '--tool', 'buy_it'], {
      cwd: home.dir,
    })
    const { request } = await loadProject(join(home.dir, 'x'))
    expect(request.name).toBe('shop')
    expect(request.tools).toMatchObject([
      { name: 'find_it', description: 'find it' },
      { name: 'buy_it', description: 'buy it' },
    ])
    expect(request.tools?.[0]).not.toHaveProperty('handler')
  })

  it('creates a TypeScript project that type-checks and passes its tests without installed packages', async () => {
    const { files } = await home.json<{ files: string[] }>(['init', 'dice', '--template', 'custom'], {
      cwd: home.dir,
    })
    expect(files).toEqual(
      expect.arrayContaining([
        '.gitignore',
        'mcp.config.json',
        'tools/roll_dice.ts',
        'types/mcp-hosting/server.d.ts',
      ]),
    )
    expect(files.filter(file => file.includes('oauth'))).toEqual([])
    const folder = join(home.dir, 'dice')
    const { request, sourceDirectory } = await loadProject(folder)
    expect(request).toMatchObject({ name: 'dice', template: 'custom' })
    expect(sourceDirectory).toBe(folder)
    writeFileSync(
      join(folder, 'src/files.ts'),
      `import guide from '../data/guide.md'\nimport logo from '../data/logo.png'\nexport const sizes = [guide.length, logo.byteLength]\n`,
    )
    const compiled = await runToEnd(process.execPath, [TSC, '--project', folder])
    expect(compiled).toMatchObject({ code: 0, stdout: '' })
    const tested = await runToEnd('npm', ['test'], { cwd: folder, env: home.env })
    expect(tested).toMatchObject({ code: 0, stdout: expect.stringMatching(/pass 2\n.*fail 0\n/s) })
  })

  it('with --template custom, creates a source file and a test for each --tool flag', async () => {
    const flags = ['--template', 'custom', '--tool', 'find_it', '--tool', 'clock/now']
    const { files } = await home.json<{ files: string[] }>(['init', 'x', ...flags], { cwd: home.dir })
    expect(files.filter(file => /^(tools|resources|prompts|src|test)\//.test(file))).toEqual([
      'tools/find_it.ts',
      'test/find_it.test.ts',
      'tools/clock_now.ts',
      'test/clock_now.test.ts',
    ])
    expect(configOf('x')).not.toHaveProperty('instructions')
    expect(readFileSync(join(home.dir, 'x/tools/clock_now.ts'), 'utf8')).toContain("name: 'clock/now'")
    const compiled = await runToEnd(process.execPath, [TSC, '--project', join(home.dir, 'x')])
    expect(compiled).toMatchObject({ code: 0, stdout: '' })
  })

  it('overwrites nothing without --force', async () => {
    await home.json(['init', 'x'], { cwd: home.dir })
    const again = await home.mcp(['init', 'x', '--template', 'advanced'], { cwd: home.dir })
    expect(again).toMatchObject({ code: 5, stdout: '' })
    expect(again.stderr).toContain('x already contains mcp.config.json.')
    expect(configOf('x').template).toBe('basic')
    await home.json(['init', 'x', '--template', 'advanced', '--force'], { cwd: home.dir })
    expect(configOf('x').template).toBe('advanced')
  })

  it('copies a valid example with the permissions that the umask allows', async () => {
    await home.json(['init', 'weather', '--example', 'weather'], { cwd: home.dir })
    const folder = join(home.dir, 'weather')
    expect((await loadProject(folder)).request).toMatchObject({ name: 'weather', template: 'advanced' })
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toContain('.env\n')
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).not.toContain('examples/')
    expect(statSync(folder).mode & 0o777).toBe(0o777 & ~process.umask())
  })

  const DESK = {
    openapi: '3.1.0',
    info: { title: 'Help desk', version: '1' },
    servers: [{ url: '/api' }],
    paths: { '/tickets': { get: { operationId: 'list', responses: { 200: { description: 'ok' } } } } },
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    security: [{ key: [] }],
  }

  it('reads an OpenAPI description from a URL and says which variables to set before the first run', async () => {
    const api = createServer((request, response) => {
      if (request.url === '/docs/openapi.json') response.end(JSON.stringify(DESK))
      else response.writeHead(404).end()
    })
    await once(api.listen(0, '127.0.0.1'), 'listening')
    const origin = `http://127.0.0.1:${(api.address() as AddressInfo).port}`
    const init = (folder: string, path: string) =>
      home.mcp(['init', folder, '--from-openapi', `${origin}${path}`], { cwd: home.dir })
    const { stdout } = await init('desk', '/docs/openapi.json')
    expect(stdout).toMatch(/cd desk\nSet API_TOKEN: +mcp env set API_TOKEN\nRun it: +mcp up\n/)
    expect(configOf('desk')).toMatchObject({
      name: 'desk',
      env: [
        { name: 'API_BASE_URL', default: `${origin}/api` },
        { name: 'API_TOKEN', required: true },
      ],
    })
    expect((await init('none', '/none.json')).stderr).toContain(
      `Could not read ${origin}/none.json: the server answered with status 404.`,
    )
    api.close()
  })

  it('keeps the README of a repository and extends its .gitignore', async () => {
    writeFileSync(join(home.dir, 'README.md'), '# Mine\n')
    writeFileSync(join(home.dir, '.gitignore'), 'dist\n.env')
    const { files, kept } = await home.json<{ files: string[]; kept: string[] }>(['init', '--name', 'x'], {
      cwd: home.dir,
    })
    expect(files).toContain('.gitignore')
    expect(kept).toEqual(['README.md'])
    expect(readFileSync(join(home.dir, 'README.md'), 'utf8')).toBe('# Mine\n')
    expect(readFileSync(join(home.dir, '.gitignore'), 'utf8')).toBe('dist\n.env\n.env.*\n.mcp/\n')
  })

  it('adds a GitHub Actions workflow that runs the suite if there is one', async () => {
    const workflowOf = async (folder: string, ...flags: string[]) => {
      await home.json(['init', folder, '--ci', 'github', ...flags], { cwd: home.dir })
      return readFileSync(join(home.dir, folder, '.github/workflows/mcp.yml'), 'utf8')
    }
    const [tested, untested] = [await workflowOf('a'), await workflowOf('b', '--tool', 'find_it')]
    expect(tested).toContain('- run: mcp test ')
    expect(tested).toContain('mcp deploy --env production --require-test 1 --message')
    expect(untested).not.toContain('test 1')
    expect(untested).not.toContain('mcp test')
    expect(parse(untested).jobs.test.steps.at(-1)).toEqual({ run: 'mcp build' })
  })

  it('when given a URL instead of a folder, suggests --from-openapi or using the server without a project', async () => {
    const { code, stderr } = await home.mcp(['init', 'https://api.example.com/openapi.json'])
    expect(code).toBe(2)
    expect(stderr).toContain('mcp init api --from-openapi https://api.example.com/openapi.json')
    expect(stderr).toContain('mcp tools https://api.example.com/openapi.json')
  })

  it.each([
    [['--template', 'other'], 'expected one of basic, advanced, custom'],
    [['--name', 'a/b'], '"a/b" is not a valid server name'],
    [['--tool', 'save thing'], '"save thing" is not a valid tool name'],
    [['--template', 'custom', '--tool', 'a_b', '--tool', 'a/b'], 'tools/a_b.ts'],
    [['--example', 'other'], 'expected one of weather'],
    [['--from-openapi', 'none.yaml'], 'Could not read'],
    [['--from-openapi', 'x.yaml', '--tool', 'a'], '--tool and --from-openapi cannot be combined.'],
    [['--example', 'weather', '--tool', 'a'], '--tool and --example cannot be combined.'],
  ])('mcp init rejects %j and writes nothing', async (flags, words) => {
    const ended = await home.mcp(['init', 'x', ...flags], { cwd: home.dir })
    expect(ended.code).toBe(2)
    expect(ended.stderr).toContain(words)
    expect(existsSync(join(home.dir, 'x'))).toBe(false)
  })
})
