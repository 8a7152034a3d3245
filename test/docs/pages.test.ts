import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, test } from 'vitest'
import { type Command, type Page, parsePage } from './pages/page.ts'
import { ShellSession } from './pages/session.ts'
import { outputPattern } from './pages/shown-output.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const PAGES = globSync(['*.md', 'docs/**/*.md', 'examples/*/README.md', 'templates/*/README.md'], {
  cwd: root,
}).toSorted()

const parsed = PAGES.map(path => ({ path, page: parsePage(readFileSync(join(root, path), 'utf8')) }))
const runnable = parsed.filter(({ page }) => page.steps.length > 0)

const TIMEOUT_MS = 180_000

/** Pages for a new user, whose first command starts the daemon. */
const FIRST_PAGES = ['README.md', 'docs/quick-start.md']
/** Commands that control or inspect the daemon's process. */
const NEEDS_PROCESS = /mcp (daemon|doctor)/

describe.concurrent('commands of the documentation', () => {
  it.for(runnable)(
    'every command of $path works in an empty home, in order',
    { timeout: TIMEOUT_MS },
    async ({ path, page }, { onTestFinished }) => {
      const session = new ShellSession()
      onTestFinished(() => session.close())
      if (!startsDaemon(path, page)) await session.startDaemon()
      await session.run({ text: preparation(path), input: undefined, interrupted: false })
      for (const step of page.steps) {
        if ('path' in step) session.write(step)
        else await runCommand(session, path, step)
      }
    },
  )
})

test('every page with a shell block has commands that are run, or says why they cannot be', () => {
  const withBlocks = PAGES.filter(path =>
    /^ *```(sh|bash|shell|console)$/m.test(readFileSync(join(root, path), 'utf8')),
  )
  const known = parsed.filter(({ page }) => page.steps.length + page.skipped.length > 0)
  expect(known.map(({ path }) => path)).toEqual(expect.arrayContaining(withBlocks))
})

/** Whether the page starts its daemon as a process, which takes three times the processor time. */
function startsDaemon(path: string, { steps }: Page): boolean {
  return FIRST_PAGES.includes(path) || steps.some(step => 'text' in step && NEEDS_PROCESS.test(step.text))
}

/** Puts the reader of a template's page into a project from that template, and the reader of any other page into a checkout. */
function preparation(path: string): string {
  const [, template] = /^templates\/(\w+)/.exec(path) ?? []
  return template ? `mcp init my-server --template ${template} && cd my-server` : 'ln -s "$PACKAGE/examples"'
}

async function runCommand(session: ShellSession, path: string, command: Command): Promise<void> {
  const { code, output } = await session.run(command)
  const at = `${path}:${command.line} ${command.text}`
  expect({ at, code, output }).toEqual({ at, code: command.exit, output })
  if (command.shown !== undefined) expect(output, at).toMatch(outputPattern(command.shown))
}
