import type { SuiteCase } from '../../../../shared/definitions/test-suite.ts'
import { printable, printableJson } from '../../../../shared/format/printable.ts'
import type { Json } from '../../../../shared/json/json-value.ts'
import { quoteShellWord } from '../../../../shared/shell-words.ts'
import { expandTemplate } from '../../../mcp/expand-template.ts'
import type { Call } from './call.ts'
import type { Place } from './place.ts'

/** A call and the identity of its entry. */
export interface CallInput extends Pick<Call, 'args'> {
  entry: Pick<Call['entry'], 'kind' | 'id'>
}

/** Command that makes the same call. */
export function commandFor({ entry: { kind, id }, args }: CallInput, { name, environment }: Place): string {
  const json = Object.keys(args).length > 0 ? [printableJson(JSON.stringify(args))] : []
  const words = {
    tool: ['call', name, id, ...json],
    prompt: ['prompt', name, id, ...json],
    resource: ['read', name, id],
    template: ['read', name, kind === 'template' ? expandTemplate(id, args) : id],
  }[kind]
  return ['mcp', ...words, '--env', environment].map(word => quoteShellWord(printable(word))).join(' ')
}

/** Case of a test suite (docs/testing.md) that expects the call. */
export function testCaseFor({ entry: { kind, id }, args }: CallInput, message: string): SuiteCase {
  const expect = {
    tool: { calls: [{ tool: id, arguments: args as Record<string, Json> }] },
    prompt: { prompts: [id] },
    resource: { resources: [id] },
    template: { resources: [kind === 'template' ? expandTemplate(id, args) : id] },
  }[kind]
  return { message, expect }
}

/** The case in YAML. JSON is also valid YAML. */
export function testCaseText({ message, expect = {} }: SuiteCase): string {
  const text = (value: unknown) => printableJson(JSON.stringify(value))
  const expected = Object.entries(expect).flatMap(([name, values]) =>
    name === 'calls'
      ? [
          'calls:',
          ...(expect.calls ?? []).flatMap(call => [
            `  - tool: ${text(call.tool)}`,
            `    arguments: ${text(call.arguments)}`,
          ]),
        ]
      : [`${name}: ${text(values)}`],
  )
  return [`- message: ${text(message)}`, '  expect:', ...expected.map(line => `    ${line}`)].join('\n')
}
