import { describe, expect, test } from 'vitest'
import { startModules } from '../../helpers/module-server.ts'

/** What is said of a project with this one file. */
async function refusal(path: string, text: string): Promise<{ message: string; trace?: string }> {
  const imports = `import * as sdk from 'mcp-hosting/server'\nimport * as zm from 'zod/mini'\n`
  const started = startModules({ [path]: imports + text })
  return started.then(
    async ({ harness }) => {
      await harness.stop()
      throw new Error('it was served')
    },
    error => error,
  )
}

describe('code that cannot be served', () => {
  test.each([
    ['a number', 'export default 5'],
    ['nothing', 'export default undefined'],
    ['an object without a handler', `export default { description: 'x' }`],
  ])('because a module exports %s, is told so by its file', async (_what, text) => {
    expect((await refusal('tools/odd.ts', text)).message).toBe(
      'tools/odd.ts exports no tool: it must be what defineTool({…}) of mcp-hosting/server returns, with a handler.',
    )
  })

  test('because it imports a data: URL that is no module, is told which types are', async () => {
    const text = `import text from 'data:text/plain,hi'\nexport default sdk.defineTool({ description: text, handler: () => 'x' })`
    expect((await refusal('tools/data.ts', text)).message).toBe(
      'A data: URL of type "text/plain" cannot be imported; Node imports text/javascript, application/json and application/wasm.',
    )
  })

  test('because a prompt lies among the tools, is told so', async () => {
    const text = `export default sdk.definePrompt({ description: 'x', handler: () => 'x' })`
    expect((await refusal('tools/greet.ts', text)).message).toBe(
      'tools/greet.ts exports a prompt, but stands where a tool belongs.',
    )
  })

  test('because its schema cannot say its JSON Schema, is told what can', async () => {
    const text = `export default sdk.defineTool({ description: 'x', input: zm.object({ a: zm.number() }), handler: () => 'x' })`
    expect((await refusal('tools/mini.ts', text)).message).toContain(
      'tools/mini.ts: input is a schema of zod that cannot say its JSON Schema. Take zod from 4.2 on (not zod/mini)',
    )
  })

  test.each([
    [
      'tools/a.js',
      'tool',
      'input: {}, inputSchema: {}',
      '"input" and "inputSchema" are the same option; give one of them',
    ],
    [
      'tools/a.js',
      'tool',
      'descripton: ""',
      '"descripton" is not a known option of a tool; did you mean "description"?',
    ],
    [
      'resources/a.js',
      'resource',
      'zzz: 1',
      '"zzz" is not a known option of a resource; known are name, title,',
    ],
    ['prompts/a.js', 'prompt', 'arguments: []', '"arguments" must be an object of names'],
  ])('because %s has an option that nobody reads, is told which', async (path, kind, option, message) => {
    const text = `export default { kind: '${kind}', uri: 'a://b', ${option}, handler: () => '' }`
    const wanted = kind === 'resource' ? text : text.replace(`uri: 'a://b', `, '')
    expect((await refusal(path, wanted)).message).toContain(`${path}: ${message}`)
  })

  test('because it throws while it is loaded, is told with a stack in its own files', async () => {
    const { message, trace } = await refusal(
      'tools/early.ts',
      `export default {}\nthrow new TypeError('too early')`,
    )
    expect(message).toBe('too early')
    expect(trace).toMatch(/^TypeError: too early\n.*tools\/early\.ts:4:7/)
  })
})
