import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { writeFileAtomic } from '../../shared/atomic-file.ts'
import type { TestResult } from '../../shared/contract/testing/test-results.ts'
import type { Expectation, SuiteCase } from '../../shared/definitions/test-suite.ts'
import type { Exchange } from '../testing/chat-session.ts'
import { parseSuite } from './load-suite.ts'

/**
 * Adds a conversation to a suite as a case that expects the same actions again. Creates the file if necessary. Keeps comments.
 * Throws INVALID_REQUEST for a file that is not a suite.
 */
export async function saveCase(
  file: string,
  server: string,
  exchanges: readonly Exchange[],
): Promise<string> {
  const path = resolve(file)
  const { Document, parseDocument } = await import('yaml')
  const made = toCase(exchanges)
  if (!existsSync(path)) {
    const document = new Document({ server, cases: [made] })
    writeFileAtomic(path, document.toString(), 0o644)
    return path
  }
  const document = parseDocument(readFileSync(path, 'utf8'))
  await parseSuite(document.toJS(), path)
  document.addIn(['cases'], document.createNode(made))
  writeFileAtomic(path, document.toString(), 0o644)
  return path
}

function toCase(exchanges: readonly Exchange[]): SuiteCase {
  const [first] = exchanges
  if (exchanges.length === 1) return { message: first!.message, expect: expectationOf(first!.result) }
  return { messages: exchanges.map(({ message, result }) => ({ message, expect: expectationOf(result) })) }
}

/** Expects the agent's actions, not its wording. */
function expectationOf({
  tools_used,
  tool_calls = [],
  resources_accessed,
  success_rate,
}: TestResult): Expectation {
  const worked = tool_calls.filter(({ error }) => error === null)
  return {
    tools: { exact: tools_used },
    ...(worked.length > 0
      ? {
          calls: worked.map(({ name, arguments: args }) => ({
            tool: name,
            arguments: args as Record<string, never>,
          })),
        }
      : {}),
    ...(resources_accessed.length > 0 ? { resources: resources_accessed } : {}),
    ...(success_rate === 1 ? { errors: 0 } : {}),
  }
}
