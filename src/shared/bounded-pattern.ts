/** What Ajv asks of a regular expression. */
export interface Pattern {
  test(text: string): boolean
}

/** Far above what an honest pattern needs for 4 MB, and short for the servers that share the process. */
const TIME_LIMIT_MS = 100
/** Steps that take about a millisecond; the watch over more of them costs a tenth of one. */
const UNWATCHED_STEPS = 1e6
/** Of such length even a pattern that doubles its time with every character is quick. */
const SHORT_TEXT = 16

/**
 * A `pattern` of a schema. Its author chose it and whoever calls the tool chooses the text, so a match that takes time
 * without end (https://owasp.org/www-community/attacks/Regular_expression_Denial_of_Service_-_ReDoS) is ended: `test`
 * then throws. Throws SyntaxError for an invalid one.
 */
export function createPattern(source: string, flags: string): Pattern {
  const expression = new RegExp(source, flags)
  const steps = estimateSteps(source)
  return {
    test: text => (steps(text.length) <= UNWATCHED_STEPS ? expression.test(text) : watch(expression, text)),
    // Ajv tells patterns from each other by their text.
    toString: () => String(expression),
  } as Pattern
}

/** How many steps a text of some length may take at worst, roughly. */
function estimateSteps(source: string): (length: number) => number {
  const bare = source.replace(/\\./gs, 'x').replace(/\[[^\]]*\]/g, 'x')
  if (/\)(?:[*+]|\{\d)/.test(bare)) return length => (length <= SHORT_TEXT ? 1 : Number.POSITIVE_INFINITY)
  const isAnchored = bare.startsWith('^') && !bare.includes('|')
  const degree = (bare.match(/[*+]|\{\d+,/g)?.length ?? 0) + (isAnchored ? 0 : 1)
  return length => length ** degree
}

const MATCH = Symbol.for('mcp-hosting.match')
type Scope = { [MATCH]?: (() => boolean) | undefined }
let script: import('node:vm').Script | undefined

/** V8 interrupts a match that backtracks when the script that began it runs out of time. */
function watch(expression: RegExp, text: string): boolean {
  const vm = process.getBuiltinModule('node:vm')
  script ??= new vm.Script("globalThis[Symbol.for('mcp-hosting.match')]()")
  const scope = globalThis as Scope
  scope[MATCH] = () => expression.test(text)
  try {
    return script.runInThisContext({ timeout: TIME_LIMIT_MS }) as boolean
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    throw new Error(`the pattern ${expression.source} takes longer than ${TIME_LIMIT_MS} ms to match`)
  } finally {
    scope[MATCH] = undefined
  }
}
