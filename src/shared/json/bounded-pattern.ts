import { estimateSteps } from './pattern-steps.ts'

/** The part of RegExp that Ajv uses. */
export interface Pattern {
  test(text: string): boolean
}

/** Processor time. Far more than a benign pattern needs for 4 MB, and short enough for servers that share the process. */
const TIME_LIMIT_MS = 100
/**
 * V8 limits elapsed time. On a busy machine, that includes little processor time, so the match is repeated with a longer limit.
 */
const ELAPSED_LIMITS_MS = [TIME_LIMIT_MS, 4 * TIME_LIMIT_MS, 16 * TIME_LIMIT_MS]
/** About a millisecond of matching. A time limit costs 0.1 ms. */
const UNLIMITED_STEPS = 1e6

/**
 * A `pattern` of a schema. Its author chooses the pattern and callers of the tool choose the text, so matches have a time limit
 * (https://owasp.org/www-community/attacks/Regular_expression_Denial_of_Service_-_ReDoS). `test` throws when a match exceeds it.
 * Throws SyntaxError for an invalid pattern.
 */
export function createPattern(source: string, flags: string): Pattern {
  const expression = new RegExp(source, flags)
  const steps = estimateSteps(source)
  return {
    test: text =>
      steps(text.length) <= UNLIMITED_STEPS ? expression.test(text) : testWithLimit(expression, text),
    // Ajv identifies patterns by their text.
    toString: () => String(expression),
  } as Pattern
}

const MATCH_KEY = Symbol.for('mcp-hosting.match')
type Scope = { [MATCH_KEY]?: (() => boolean) | undefined }
let script: import('node:vm').Script | undefined

/** Tests within the time limit. V8 interrupts a backtracking match when the script that started it times out. */
function testWithLimit(expression: RegExp, text: string): boolean {
  const vm = process.getBuiltinModule('node:vm')
  script ??= new vm.Script("globalThis[Symbol.for('mcp-hosting.match')]()")
  const scope = globalThis as Scope
  scope[MATCH_KEY] = () => expression.test(text)
  try {
    for (const timeout of ELAPSED_LIMITS_MS) {
      const before = process.cpuUsage()
      const matches = runWithin(script, timeout)
      if (matches !== undefined) return matches
      const { user, system } = process.cpuUsage(before)
      if (user + system >= TIME_LIMIT_MS * 1000) break
    }
    throw new Error(`the pattern ${expression.source} takes longer than ${TIME_LIMIT_MS} ms to match`)
  } finally {
    scope[MATCH_KEY] = undefined
  }
}

/** Undefined when the script was interrupted. */
function runWithin(script: import('node:vm').Script, timeout: number): boolean | undefined {
  try {
    return script.runInThisContext({ timeout }) as boolean
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
  }
}
