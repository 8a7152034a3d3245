import { type ChildProcess, spawn } from 'node:child_process'
import { expect } from 'vitest'

export interface Terminal {
  child: ChildProcess
  /** Everything shown so far, escape sequences included. */
  readonly shown: string
  /** Waits for text after the previous match, and then types. */
  expects(text: string | RegExp, then?: string): Promise<void>
  /** Types a term into a list, and chooses the row that is then first. */
  chooses(term: string, row: string): Promise<void>
  ended: Promise<number | null>
}

/** macOS has a different script(1). */
export const hasTerminals = process.platform === 'linux'

/** Runs a shell command in a pseudo-terminal. */
export function openTerminal(command: string, env: NodeJS.ProcessEnv, cwd?: string): Terminal {
  const { CI: _, ...rest } = env
  const child = spawn('script', ['-qfec', command, '/dev/null'], {
    env: { ...rest, TERM: 'xterm', SHELL: '/bin/sh' },
    cwd,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  let shown = ''
  let seen = 0
  child.stdout.setEncoding('utf8').on('data', text => (shown += text))
  const terminal: Terminal = {
    child,
    get shown() {
      return shown
    },
    async chooses(term, row) {
      child.stdin.write(term)
      await terminal.expects(`❯ ${row}`, '\r')
    },
    async expects(text, then) {
      const pattern =
        typeof text === 'string' ? new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')) : text
      await expect.poll(() => shown.slice(seen), { timeout: 20_000, interval: 20 }).toMatch(pattern)
      seen += pattern.exec(shown.slice(seen))!.index + 1
      if (then !== undefined) child.stdin.write(then)
    },
    ended: new Promise(resolve => child.once('exit', resolve)),
  }
  return terminal
}
