import { spawn } from 'node:child_process'

export interface CommandOptions {
  cwd: string
  env: NodeJS.ProcessEnv
  input?: string
}

export interface Result {
  code: number | null
  stdout: string
  stderr: string
}

const LIMIT_MS = 180_000

/** Runs a program and kills it after three minutes. */
export async function runCommand(
  file: string,
  args: readonly string[],
  { input, ...options }: CommandOptions,
): Promise<Result> {
  const child = spawn(file, args, { ...options, timeout: LIMIT_MS, killSignal: 'SIGKILL' })
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  child.once('error', reject).once('close', resolve)
  child.stdin.end(input ?? '')
  return { code: await promise, ...output }
}

/** Like runCommand. Throws with the output when the program fails. */
export async function runOrThrow(
  file: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<string> {
  const { code, stdout, stderr } = await runCommand(file, args, options)
  if (code === 0) return stdout
  throw new Error(`${[file, ...args].join(' ')} exited with ${code}:\n${(stderr || stdout).slice(0, 1500)}`)
}
