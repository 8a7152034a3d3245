/** A shell command of a page, with what the page says about it. */
export interface Command {
  /** Line number on the page. */
  line: number
  text: string
  /** Exit code that the page states (`# exits with 1`). Default: 130 after Ctrl-C, otherwise 0. */
  exit: number
  /** Standard input, for commands that ask. */
  input: string | undefined
  /** True when the reader stops the command with Ctrl-C. */
  interrupted: boolean
  /** Output that the page shows. */
  shown: string | undefined
}

/** A file that the reader writes. */
export interface PageFile {
  line: number
  path: string
  content: string
}

export interface Page {
  steps: (Command | PageFile)[]
  /** Reasons why commands cannot run in a test. */
  skipped: string[]
}

/** The reader's input when a command asks for a value. */
const ANSWER = 'secret'

/** A command that sets a variable without a value, and so asks for one. */
const ASKS = /^mcp env set [^=#]*(#|$)/

/** Commands that run until the reader stops them. */
const UNTIL_CTRL_C = /^mcp (dev\b|.* -f\b|.* --watch\b)/

interface Mark {
  kind: string
  /** Start of the commands that the mark applies to, or text to replace. Undefined for the whole block. */
  prefix: string | undefined
  value: string
  line: number
}

const BLOCK_OR_MARK = /^( *)```(\w*)[^\n]*\n([\s\S]*?)\n\1```$|^ *<!-- sh: ([\s\S]*?) ?-->/gm
const MARK = /^(setup|skip the rest|skip|input|file|replace)(?: `([^`]+)`)?(?::?\s([\s\S]*))?$/

/**
 * Parses a page in Markdown into steps. Comments on the page prepare or excuse commands (docs/decisions/documentation.md). Throws
 * for a comment without effect, so that none outlives its command.
 */
export function parsePage(source: string): Page {
  const page: Page = { steps: [], skipped: [] }
  const replacements: Replacement[] = []
  let pending: Mark[] = []
  for (const match of source.matchAll(BLOCK_OR_MARK)) {
    const [, indent = '', language = '', body = '', comment] = match
    const line = source.slice(0, match.index).split('\n').length
    const mark = comment === undefined ? undefined : parseMark(comment, line)
    if (mark?.kind === 'skip the rest') return { ...page, skipped: [...page.skipped, mark.value] }
    if (mark?.kind === 'setup') page.steps.push(...commandsOf(mark.value, line + 1).map(asIs))
    else if (mark?.kind === 'replace') replacements.push({ ...mark, count: 0 })
    else if (mark) pending.push(mark)
    else {
      const block = body.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
      const rest = addBlock(page, { language, block, line: line + 1 }, pending, replacements)
      requireEffect(rest)
      pending = []
    }
  }
  requireEffect([...pending, ...replacements.filter(({ count }) => count === 0)])
  return page
}

function requireEffect([unused]: readonly Mark[]): void {
  if (unused) throw new Error(`Line ${unused.line}: the comment has no effect.`)
}

function parseMark(comment: string, line: number): Mark {
  const match = MARK.exec(comment)
  if (!match) throw new Error(`Line ${line}: unknown comment "sh: ${comment}".`)
  const [, kind = '', prefix, value = ''] = match
  if (kind.startsWith('skip') && value === '') throw new Error(`Line ${line}: a reason is missing.`)
  return { kind, prefix, value, line }
}

interface Replacement extends Mark {
  /** Number of commands in which the text was found. */
  count: number
}

interface Block {
  language: string
  block: string
  line: number
}

/** Adds a block to the page. Returns the marks without effect. */
function addBlock(page: Page, at: Block, marks: Mark[], replacements: readonly Replacement[]): Mark[] {
  const [mark] = marks
  if (mark?.kind === 'file') {
    page.steps.push({ line: at.line, path: mark.value, content: `${at.block}\n` })
    return marks.slice(1)
  }
  if (at.language === '') return addOutput(page, at, marks)
  if (at.language !== 'sh') return marks
  const used = new Set<Mark>()
  for (const command of commandsOf(at.block, at.line)) {
    const mine = marks.filter(({ prefix }) => command.text.startsWith(prefix ?? ''))
    for (const one of mine) used.add(one)
    const skip = mine.find(({ kind }) => kind === 'skip')
    if (skip) page.skipped.push(`${command.text}: ${skip.value}`)
    else page.steps.push(withMarks(command, mine, replacements))
  }
  return marks.filter(one => !used.has(one))
}

/** Adds a block without a language, which is the output of the command before it. */
function addOutput(page: Page, { block, line }: Block, marks: Mark[]): Mark[] {
  const [mark] = marks
  if (mark?.kind === 'skip') {
    page.skipped.push(`output in line ${line}: ${mark.value}`)
    return marks.slice(1)
  }
  const last = page.steps.findLast(step => 'text' in step)
  if (last) last.shown = block
  return marks
}

function withMarks(
  { line, text }: Line,
  marks: readonly Mark[],
  replacements: readonly Replacement[],
): Command {
  const found = replacements.filter(({ prefix }) => text.includes(prefix!))
  for (const one of found) one.count++
  const replaced = found.reduce((all, { prefix, value }) => all.replaceAll(prefix!, value), text)
  const input = marks.find(({ kind }) => kind === 'input')
  const interrupted = UNTIL_CTRL_C.test(text)
  const exit = Number(/# .*\bexits with (\d+)/.exec(text)?.[1] ?? (interrupted ? 130 : 0))
  return {
    line,
    text: replaced,
    exit,
    input: input?.value ?? (ASKS.test(text) ? ANSWER : undefined),
    interrupted,
    shown: undefined,
  }
}

function asIs(line: Line): Command {
  return withMarks(line, [], [])
}

type Line = Pick<Command, 'line' | 'text'>

/** Commands of a block. A command continues after a backslash and until the end of a here-document. */
function commandsOf(block: string, line: number): Line[] {
  const commands: Line[] = []
  let open: { text: string; line: number; until: string | undefined } | undefined
  for (const [index, text] of block.split('\n').entries()) {
    const until = open?.until ?? /<<'(\w+)'/.exec(text)?.[1]
    const whole = open ? `${open.text}\n${text}` : text
    const first = open?.line ?? line + index
    const isOpen = until ? text !== until : text.endsWith('\\')
    open = isOpen ? { text: whole, line: first, until } : undefined
    if (!isOpen && whole.trim() !== '' && !whole.startsWith('#')) commands.push({ text: whole, line: first })
  }
  return commands
}
