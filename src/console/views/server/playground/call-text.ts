import { printable, printableJson } from '../../../../shared/format/printable.ts'
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

/** Case of a test suite (docs/testing.md) that expects the call. JSON is also valid YAML. */
export function testCaseFor({ entry: { kind, id }, args }: CallInput, message: string): string {
  const text = (value: unknown) => printableJson(JSON.stringify(value))
  const expected = {
    tool: ['calls:', `  - tool: ${text(id)}`, `    arguments: ${text(args)}`],
    prompt: [`prompts: [${text(id)}]`],
    resource: [`resources: [${text(id)}]`],
    template: [`resources: [${text(kind === 'template' ? expandTemplate(id, args) : id)}]`],
  }[kind]
  return [`- message: ${text(message)}`, '  expect:', ...expected.map(line => `    ${line}`)].join('\n')
}
