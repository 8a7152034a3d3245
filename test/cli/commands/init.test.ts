import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
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
    'creates a %s project that builds and has a schema for editors',
    async template => {
      const made = await home.json<{ files: string[] }>(['init', 'desk', '--template', template], {
        cwd: home.dir,
      })
      expect(made.files.sort()).toEqual([
        '.gitignore',
        'README.md',
        'mcp.config.json',
        'mcp.config.schema.json',
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

  it('takes name and tools without handlers from flags', async () => {
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

  it('creates a TypeScript project that editors understand without an installation', async () => {
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
  })

  it('creates one file per tool in the flags', async () => {
    const flags = ['--template', 'custom', '--tool', 'find_it', '--tool', 'clock/now']
    const { files } = await home.json<{ files: string[] }>(['init', 'x', ...flags], { cwd: home.dir })
    expect(files.filter(file => /^(tools|resources|prompts|src)\//.test(file))).toEqual([
      'tools/find_it.ts',
      'tools/clock_now.ts',
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

  it('copies an example that builds, readable for others as the umask allows', async () => {
    await home.json(['init', 'weather', '--example', 'weather'], { cwd: home.dir })
    const folder = join(home.dir, 'weather')
    expect((await loadProject(folder)).request).toMatchObject({ name: 'weather', template: 'advanced' })
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toContain('.env\n')
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).not.toContain('examples/')
    expect(statSync(folder).mode & 0o777).toBe(0o777 & ~process.umask())
  })

  it('names the variables that the first run needs', async () => {
    const description = {
      openapi: '3.1.0',
      info: { title: 'Desk', version: '1' },
      servers: [{ url: 'https://desk.example.com' }],
      paths: { '/tickets': { get: { operationId: 'list', responses: { 200: { description: 'ok' } } } } },
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
      security: [{ key: [] }],
    }
    writeFileSync(join(home.dir, 'desk.json'), JSON.stringify(description))
    const { stdout } = await home.mcp(['init', 'desk', '--from-openapi', 'desk.json'], { cwd: home.dir })
    expect(stdout).toMatch(/^Run it: +mcp up desk --set API_TOKEN=…$/m)
  })

  it.each([
    [['--template', 'other'], 'expected one of basic, advanced, custom'],
    [['--name', 'a/b'], '"a/b" is not a valid server name'],
    [['--tool', 'save thing'], '"save thing" is not a valid tool name'],
    [['--template', 'custom', '--tool', 'a_b', '--tool', 'a/b'], 'tools/a_b.ts'],
    [['--example', 'other'], 'expected one of weather'],
    [['--from-openapi', 'none.yaml'], 'Could not read'],
  ])('rejects %j and writes nothing', async (flags, words) => {
    const ended = await home.mcp(['init', 'x', ...flags], { cwd: home.dir })
    expect(ended.code).toBe(2)
    expect(ended.stderr).toContain(words)
    expect(existsSync(join(home.dir, 'x'))).toBe(false)
  })
})
