import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findProjectFile, loadProject } from '../../../src/cli/project/project.ts'
import { MCP_BIN, runToEnd } from '../../helpers/daemon/mcp.ts'

let folder: string
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'mcp-project-')), 'project')
  mkdirSync(folder)
})
afterEach(() => rmSync(dirname(folder), { recursive: true }))

function write(files: Record<string, string | object>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(
      join(folder, path),
      typeof content === 'string' ? content : JSON.stringify(content, null, 2),
    )
  }
}

const failure = () => loadProject(folder).catch(error => error)
const resource = { uri: 'a://b', name: 'b', description: 'B' }

describe('project file', () => {
  it('a project file is split into the build request and settings for other commands', async () => {
    write({
      'mcp.config.json': {
        $schema: './schema.json',
        name: 'demo',
        template: 'basic',
        tools: [{ name: 'a', description: 'A', inputSchema: { type: 'object' } }],
        deploy: { staging: { env_vars: { A: '1' } } },
        test: 'suite.json',
        project: 'prj_1',
      },
    })
    expect(await loadProject(folder)).toMatchObject({
      file: join(folder, 'mcp.config.json'),
      directory: folder,
      request: { name: 'demo', template: 'basic', tools: [{ name: 'a' }] },
      deploy: { staging: { env_vars: { A: '1' } } },
      test: 'suite.json',
      project: 'prj_1',
    })
    expect((await loadProject(folder)).request).not.toHaveProperty('deploy')
  })

  it.each([
    ['mcp.config.yaml', 'name: demo\ntemplate: basic\nresources: []\n'],
    ['mcp.config.yml', 'name: demo\ntemplate: basic\n'],
  ])('a project file can be named %s', async (file, content) => {
    write({ [file]: content, 'package.json': { type: 'module' } })
    expect((await loadProject(folder)).request).toMatchObject({ name: 'demo', template: 'basic' })
  })

  // In a separate process, because the test runner would load the module itself.
  it('a project file can be a TypeScript module', async () => {
    write({
      'mcp.config.ts': "const name: string = 'demo'\nexport default { name, template: 'basic' as const }\n",
      'package.json': { type: 'module' },
    })
    const ended = await runToEnd(process.execPath, [MCP_BIN, 'build', folder, '--check', '--json'])
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(ended.stdout)).toMatchObject({ name: 'demo' })
  })

  it('a project file can be selected by its path', async () => {
    write({ 'other.json': { name: 'demo', template: 'basic' } })
    expect((await loadProject(join(folder, 'other.json'))).request.name).toBe('demo')
  })

  it('a missing project file is reported with the possible names', async () => {
    expect(await failure()).toMatchObject({ code: 'INVALID_REQUEST' })
    expect((await failure()).message).toContain('expected mcp.config.json, mcp.config.yaml')
    await expect(loadProject(join(folder, 'nowhere'))).rejects.toThrow('nowhere does not exist.')
  })

  it('rejects a folder with more than one project file', () => {
    write({ 'mcp.config.json': '{}', 'mcp.config.yaml': '' })
    expect(() => findProjectFile(folder)).toThrow(
      'contains 2 project files: mcp.config.json, mcp.config.yaml',
    )
  })

  it.each([
    ['mcp.config.json', '{\n  "name": "demo",\n  "template" "basic"\n}', '3:14'],
    ['mcp.config.json', '{\n  // no comments\n}', '2:3'],
    ['mcp.config.json', '{\n  "tools": [],\n  "name": "demo",\n  "tools": []\n}', '4:3'],
    ['mcp.config.yaml', 'name: demo\ntemplate: [basic\n', '3:1'],
    ['mcp.config.yaml', 'name: demo\nname: other\n', '2:1'],
  ])('a parse error in %s is reported with line and column', async (file, content, position) => {
    write({ [file]: content })
    expect(await failure()).toMatchObject({ code: 'INVALID_MCP' })
    expect((await failure()).details).toContain(`${file}:${position}`)
  })

  it.each(['json', 'yaml'])(
    'every problem in a project file is reported with line and column (%s)',
    async format => {
      const value = {
        name: 'demo',
        template: 'basic',
        tools: [{ name: 'a', descripton: 'A', inputSchema: { type: 'object' } }],
        deply: {},
      }
      write({ [`mcp.config.${format}`]: value })
      const error = await failure()
      expect(error.code).toBe('INVALID_MCP')
      expect(error.details).toContain('Did you mean "deploy"?')
      expect(error.details).toMatch(/^mcp\.config\.\w+:\d+:\d+ tools\[0\].*description/m)
    },
  )

  it.each([
    ['{\n  "template": "basic"\n}', '1:1 name: is required (a string)'],
    ['{\n  "nam": "x",\n  "template": "basic"\n}', '2:3 nam: is not a known field; did you mean "name"?'],
    ['{\n  "name": "x",\n  "template": "basik"\n}', '3:3 template: "basik" is not one of'],
    [
      '{\n  "name": "x",\n  "template": "basic",\n  "deploy": { "prod": {} }\n}',
      '4:15 deploy.prod: is not a known',
    ],
    [
      '{\n  "name": "x",\n  "template": "basic",\n  "deploy": { "staging": { "engin": "process" } }\n}',
      'did you mean "engine"',
    ],
    ['{\n  "name": "x",\n  "template": "basic",\n}', '3:22 trailing comma'],
    [
      '{ "name": "x", "template": "basic", "deploy": { "staging": { "domain": "a b" } } }',
      'deploy.staging.domain: "a b" is not valid; expected a host name such as mcp.example.com',
    ],
    [
      '{ "name": "x", "template": "basic", "deploy": { "staging": { "auth": { "provider": "openid", "issuer": "x" } } } }',
      'deploy.staging.auth.issuer: "x" is not valid; expected a URL such as',
    ],
  ])('the problem in %j is reported as "%s"', async (content, expected) => {
    write({ 'mcp.config.json': content })
    expect((await failure()).details).toContain(expected)
  })

  it('an invalid name of a variable is reported without its value', async () => {
    const deploy = { staging: { env_vars: { '9X': 'hush' } } }
    write({ 'mcp.config.json': { name: 'x', template: 'basic', deploy } })
    const { details } = await failure()
    expect(details).toContain('env_vars["9X"]: "9X" is not valid; expected letters, digits and "_"')
    expect(details).not.toContain('hush')
  })

  it('an unknown field does not hide other problems', async () => {
    const tools = [
      { name: 'a', descripton: 'x', description: 'A', inputSchema: { type: 'object' } },
      { name: 'a', description: 'A', inputSchema: { type: 'objekt' } },
    ]
    write({ 'mcp.config.json': { name: 'demo', template: 'basic', tools } })
    const { details } = await failure()
    expect(details).toContain('tools[0].descripton: is not a known field')
    expect(details).toContain('tools[1].inputSchema')
  })

  it('a problem in the deploy section of a project file is reported', async () => {
    write({
      'mcp.config.json': {
        name: 'demo',
        template: 'basic',
        deploy: { production: { scaling: { min_instances: 3, max_instances: 2 } } },
      },
    })
    expect((await failure()).details).toMatch(/min_instances.* must not exceed max_instances/)
  })

  it('the type of a secret in the deploy section is reported without its value', async () => {
    const auth = { provider: 'github', client_id: 'a', client_secret: 1234 }
    const production = { auth, env_vars: { PIN: 1234 } }
    write({ 'mcp.config.json': { name: 'demo', template: 'basic', deploy: { production } } })
    const { details } = await failure()
    expect(details).toContain('deploy.production.auth.client_secret: must be a string, not a number')
    expect(details).toContain('deploy.production.env_vars.PIN: must be a string, not a number')
  })

  it('an error thrown by a project file is reported', async () => {
    write({ 'mcp.config.ts': "throw new Error('no table')\n" })
    expect((await failure()).message).toMatch(/^mcp\.config\.ts(:1:7)? failed to load: no table$/)
  })

  it.each([
    ["export default {\n  name: 'x',\n  template: 'basik',\n}\n", 'mcp.config.ts:3:3 template: "basik"'],
    [
      "// {\nconst port = 1\nconst config = { name: 'x', template: 'basic',\n  tools: [{ name: 'a' }] }\nexport default config\n",
      'mcp.config.ts:4:11 tools[0].description: is required',
    ],
    ["export default {\n  name: 'x'\n  template: 'basic' }\n", 'mcp.config.ts:3:3 Expected "}"'],
  ])('reports the line and column of a problem in a module: %j', async (content, expected) => {
    write({ 'mcp.config.ts': content, 'package.json': { type: 'module' } })
    expect((await failure()).details).toContain(expected)
  })
})

describe('resource files', () => {
  const project = (...resources: object[]) => ({
    'mcp.config.json': { name: 'demo', template: 'basic', resources },
  })

  it('resource files are sent unchanged with the build', async () => {
    write({
      ...project(
        { ...resource, file: 'docs/a.md' },
        { ...resource, uri: 'a://c', name: 'c', file: 'logo.png' },
        { ...resource, uri: 'a://d', name: 'd', file: 'docs/a.md', mimeType: 'application/octet-stream' },
        { ...resource, uri: 'a://e', name: 'e', file: '..notes.md' },
      ),
      '..notes.md': 'Notes',
      'docs/a.md': '# Use {{ name }} and {% if %}',
    })
    writeFileSync(join(folder, 'logo.png'), Buffer.from([0x89, 0x50, 0xff]))
    const { resources } = (await loadProject(folder)).request
    expect(resources).toMatchObject([
      { mimeType: 'text/markdown', text: "# Use {{ '{{' }} name }} and {{ '{%' }} if %}" },
      { mimeType: 'image/png', blob: 'iVD/' },
      {
        mimeType: 'application/octet-stream',
        blob: Buffer.from('# Use {{ name }} and {% if %}').toString('base64'),
      },
      { mimeType: 'text/markdown', text: 'Notes' },
    ])
    expect(resources?.[0]).not.toHaveProperty('file')
  })

  it.each([
    ['../secret.txt', 'is outside the project'],
    ['/etc/hosts', 'is outside the project'],
    ['link.txt', 'is outside the project'],
    ['none.txt', 'does not exist'],
    ['docs', 'is not a file'],
    ['big.txt', 'the maximum is 1048576 for the whole build request'],
  ])('the resource file %s is rejected: %s', async (file, reason) => {
    const secret = join(folder, '..', 'secret.txt')
    write({ ...project({ ...resource, file }), 'docs/a.md': 'A', 'big.txt': 'x'.repeat(1024 * 1024 + 1) })
    writeFileSync(secret, 'secret')
    symlinkSync(secret, join(folder, 'link.txt'))
    const error = await failure()
    expect(error.code).toBe('INVALID_MCP')
    expect(error.details).toMatch(/^mcp\.config\.json:\d+:\d+ resources\[0\]\.file: /)
    expect(error.details).toContain(reason)
  })

  it('a resource file cannot be combined with other content', async () => {
    write({ ...project({ ...resource, file: 'a.md', text: 'A' }), 'a.md': 'A' })
    expect((await failure()).details).toContain('keep one of text, blob, file, handler')
  })
})
