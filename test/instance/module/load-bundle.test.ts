import { describe, expect, test } from 'vitest'
import { startModules } from '../../helpers/instance/module-server.ts'

/** Error for a project with only this file. */
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

describe('loading a bundle fails', () => {
  test.each([
    ['a number', 'export default 5'],
    ['nothing', 'export default undefined'],
    ['an object without a handler', `export default { description: 'x' }`],
  ])('the error for a module that exports %s names its file', async (_what, text) => {
    expect((await refusal('tools/odd.ts', text)).message).toBe(
      'tools/odd.ts exports no tool. It must export the result of defineTool({…}) from mcp-hosting/server, with a handler.',
    )
  })

  test('loading a bundle fails for a data: URL of an unsupported type, with an error that lists the supported types', async () => {
    const text = `import text from 'data:text/plain,hi'\nexport default sdk.defineTool({ description: text, handler: () => 'x' })`
    expect((await refusal('tools/data.ts', text)).message).toBe(
      'A data: URL of type "text/plain" cannot be imported. Node imports text/javascript, application/json and application/wasm.',
    )
  })

  test('loading a bundle fails for a prompt in the tools folder', async () => {
    const text = `export default sdk.definePrompt({ description: 'x', handler: () => 'x' })`
    expect((await refusal('tools/greet.ts', text)).message).toBe(
      'tools/greet.ts exports a prompt, but a tool is expected here.',
    )
  })

  test('loading a bundle fails for a schema that cannot be converted to JSON Schema, with an error that lists the supported libraries', async () => {
    const text = `export default sdk.defineTool({ description: 'x', input: zm.object({ a: zm.number() }), handler: () => 'x' })`
    expect((await refusal('tools/mini.ts', text)).message).toContain(
      'tools/mini.ts: input is a schema from zod that cannot be converted to JSON Schema. Use zod 4.2 or later (not zod/mini)',
    )
  })

  test.each([
    [
      'tools/a.js',
      'tool',
      'input: {}, inputSchema: {}',
      '"input" and "inputSchema" are the same option. Remove one of them.',
    ],
    [
      'tools/a.js',
      'tool',
      'descripton: ""',
      '"descripton" is not a known option of a tool. Did you mean "description"?',
    ],
    [
      'resources/a.js',
      'resource',
      'zzz: 1',
      '"zzz" is not a known option of a resource. Known options: name, title,',
    ],
    ['prompts/a.js', 'prompt', 'arguments: []', '"arguments" must be an object, such as'],
  ])('loading a bundle fails for %s, a %s with invalid options: %s', async (path, kind, option, message) => {
    const text = `export default { kind: '${kind}', uri: 'a://b', ${option}, handler: () => '' }`
    const wanted = kind === 'resource' ? text : text.replace(`uri: 'a://b', `, '')
    expect((await refusal(path, wanted)).message).toContain(`${path}: ${message}`)
  })

  test("loading a bundle fails for code that throws while it loads, with a stack trace in the project's files", async () => {
    const { message, trace } = await refusal(
      'tools/early.ts',
      `export default {}\nthrow new TypeError('too early')`,
    )
    expect(message).toBe('too early')
    expect(trace).toMatch(/^TypeError: too early\n.*tools\/early\.ts:4:7/)
  })
})
