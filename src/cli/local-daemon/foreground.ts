import { spawn } from 'node:child_process'

/**
 * Runs a program in this terminal until it exits, and lets it handle signals. Returns its exit code, or 130 after SIGINT and 143
 * after any other signal.
 */
export function runInForeground(
  program: string,
  { args, env }: { args: readonly string[]; env: NodeJS.ProcessEnv },
): Promise<number> {
  const child = spawn(process.execPath, [program, ...args], { stdio: 'inherit', env })
  // Ctrl-C in a terminal reaches both processes, so this process only waits.
  process.removeAllListeners('SIGINT')
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 143)))
  })
}
