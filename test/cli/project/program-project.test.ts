import { basename, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { missingFile, type ProgramInput, programProject } from '../../../src/cli/project/program-project.ts'
import type { ProgramDefinition } from '../../../src/shared/definitions/definitions.ts'
import { splitShellWords } from '../../../src/shared/shell-words.ts'

const NOTHING: ProgramInput = {
  command: undefined,
  http: false,
  path: undefined,
  cwd: undefined,
  isolation: undefined,
  name: undefined,
}
const ENV = { API_KEY: 'secret' }
const project = (command: string, more: Partial<ProgramInput> = {}) =>
  programProject({ ...NOTHING, command, ...more }, ENV)!.request as {
    name: string
    program: ProgramDefinition
  }

test.each([
  ['npx -y some-server', ['npx', '-y', 'some-server']],
  [
    `python server.py --name 'two words' "and \\"these\\""`,
    ['python', 'server.py', '--name', 'two words', 'and "these"'],
  ],
  [`a\\ b 'it'"'"'s' "" x=''`, ['a b', `it's`, '', 'x=']],
  [`sh -c 'a | b && c > $D'`, ['sh', '-c', 'a | b && c > $D']],
])('splits %s like a shell', (command, words) => {
  expect(splitShellWords(command)).toEqual(words)
})

test.each([
  ['a | b', '|'],
  ['a > file', '>'],
  ['echo $HOME', '$HOME'],
  ['a "b', 'unterminated quote'],
  ['', 'empty'],
])('rejects the command %j with an error that contains "%s"', (command, named) => {
  expect(() => splitShellWords(command)).toThrow(named)
})

test.each([
  ['npx -y @modelcontextprotocol/server-everything', 'server-everything'],
  ['npx -y @modelcontextprotocol/server-everything@1.2.3 --x', 'server-everything'],
  ['npx -y some-server@latest', 'some-server'],
  ['npx -y @accesslint/mcp', 'accesslint-mcp'],
  ['uvx mcp-server-time --local-timezone Europe/Rome', 'mcp-server-time'],
  ['python3 weather.py', 'weather'],
  ['node /srv/notes/dist/index.js', 'notes'],
  ['/usr/local/bin/my-server --flag', 'my-server'],
])('a server with the command %s is named %s', (command, name) => {
  expect(project(command).name).toBe(name)
})

test('a command that names files in the current folder runs there, and any other command in a separate folder', () => {
  expect(project('npx -y some-server').program.cwd).toBeUndefined()
  expect(project('node package.json').program.cwd).toBe(resolve('.'))
  expect(project('npx -y some-server', { cwd: 'src' }).program.cwd).toBe(resolve('src'))
  expect(basename(resolve('src'))).toBe('src')
})

test('rejects options that require --command if it is missing', () => {
  expect(() => programProject({ ...NOTHING, http: true }, {})).toThrow('--http')
  expect(() => programProject({ ...NOTHING, isolation: 'session' }, {})).toThrow('--isolation')
  expect(programProject(NOTHING, {})).toBeUndefined()
})

test('an HTTP program gets the given path and isolation', () => {
  const { program } = project('node server.js', { http: true, path: '/api/mcp', isolation: 'shared' })
  expect(program).toMatchObject({ type: 'http', path: '/api/mcp', isolation: 'shared' })
})

test.each([
  ['node nowhere/server.js', 'nowhere/server.js'],
  ['python3 -u nowhere.py --port 1', 'nowhere.py'],
  ['npx -y nowhere.js', undefined],
  ['node vitest.config.ts', undefined],
  ['sh -c x', undefined],
  ['sh -c "cd app && node server.js"', undefined],
  ['node -e nowhere.js', undefined],
  ['./nowhere --port 1', './nowhere'],
  ['/nowhere', undefined],
])('finds the missing file that the command %s needs: %s', (command, script) => {
  expect(missingFile(project(command).program, '.')).toBe(script)
})

test('a relative path is missing in a new folder, and found in the working folder of the command', () => {
  const { program } = project('node server.js', { cwd: undefined })
  expect(missingFile(program, undefined)).toBe('server.js')
  expect(missingFile({ ...program, args: ['main.ts'], cwd: resolve('src/cli') }, undefined)).toBeUndefined()
  expect(missingFile({ ...program, args: ['main.ts'], cwd: 'cli' }, 'src')).toBeUndefined()
  expect(missingFile({ ...program, args: ['main.ts'], cwd: 'cli' }, '.')).toBe('main.ts')
})

const run = (words: string) => programProject({ ...NOTHING, command: `docker run ${words}` }, ENV)!

test('docker run is converted to an image with its variables, mounts, network, entrypoint, limits and arguments', () => {
  const { request, deploy } = run(
    '-i --rm -e API_KEY -eMODE=fast --env UNSET -v /srv/notes:/notes:ro --mount type=volume,src=cache,dst=/cache ' +
      '--network none --entrypoint /bin/server -u 1000:1000 -w /notes -m 512m --cpus=0.5 --pids-limit 64 ' +
      '--name notes mcp/notes:1 --verbose -e /notes',
  )
  const env_vars = { API_KEY: 'secret', MODE: 'fast' }
  expect(request).toEqual({
    name: 'notes',
    template: 'custom',
    env_vars,
    program: {
      type: 'image',
      image: 'mcp/notes:1',
      path: '/mcp',
      transport: 'stdio',
      args: ['--verbose', '-e', '/notes'],
      mounts: [
        { source: '/srv/notes', target: '/notes', readonly: true },
        { source: 'cache', target: '/cache' },
      ],
      network: 'none',
      entrypoint: '/bin/server',
      user: '1000:1000',
      workdir: '/notes',
    },
  })
  const limits = { memory_mb: 512, cpus: 0.5, pids: 64 }
  expect(deploy).toEqual({
    production: { env_vars, limits },
    staging: { env_vars, limits },
    development: { env_vars, limits },
  })
})

test('docker run without -i is converted to an image that serves HTTP', () => {
  expect(run('--rm mcp/web').request.program).toEqual({ type: 'image', image: 'mcp/web', path: '/mcp' })
})

test.each([
  ['-i -p 8080:80 mcp/web', '-p is not supported: a server over HTTP needs no published port'],
  ['-it mcp/web', '-t is not supported: MCP needs standard input without a terminal'],
  ['-i --platform linux/amd64 mcp/web', '--platform is not supported'],
  ['-i -v /srv mcp/web', '--volume /srv must be SOURCE:TARGET'],
  ['-i --memory lots mcp/web', '--memory lots must be a size'],
  ['-i --cpus half mcp/web', '--cpus half must be a positive number'],
  ['-i --cpus=0 mcp/web', '--cpus 0 must be a positive number'],
  ['-i --pids-limit 1OO mcp/web', '--pids-limit 1OO must be a positive whole number'],
  ['-i --pids-limit=-1 mcp/web', '--pids-limit -1 must be a positive whole number'],
  ['-i --rm', 'names no image'],
])('rejects docker run %s', (words, message) => {
  expect(() => run(words)).toThrow(message)
})

test('rejects container engine commands other than run', () => {
  expect(() => project('docker exec -i box server')).toThrow(
    'docker exec -i: only "docker run" can be hosted',
  )
  expect(project('podman container run -i mcp/time').name).toBe('time')
})
