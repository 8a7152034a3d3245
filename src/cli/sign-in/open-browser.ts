import { spawn } from 'node:child_process'
import type { CommandContext } from '../command-context.ts'

/** Asks whether to open an address in a browser of this machine; where nobody can be asked, nothing opens. */
export async function offerBrowser(context: CommandContext, url: string): Promise<void> {
  const { output, globals } = context
  if (!output.interactive) return
  if (!globals.yes && !(await wants(context))) return
  const error = await open(url, context.env)
  if (error) output.note(`No browser could be opened (${error.message}): open the address yourself.`)
}

async function wants({ signal }: CommandContext): Promise<boolean> {
  const { default: inquirer } = await import('inquirer')
  const message = 'Open it in the browser of this machine?'
  const { yes } = await inquirer.prompt([{ type: 'confirm', name: 'yes', message, default: true }], {
    signal,
  })
  return yes
}

/** `BROWSER` is what other programs look at, too; without it the system knows. */
function open(url: string, env: NodeJS.ProcessEnv): Promise<Error | undefined> {
  // Servers choose the address: what is no web page must not reach a program that opens everything.
  if (!/^https?:$/.test(new URL(url).protocol)) return Promise.resolve(new Error(`${url} is no web address`))
  const [command, ...args] = opener(env)
  const child = spawn(command!, [...args, url], { stdio: 'ignore', detached: true, env })
  return new Promise(resolve => {
    child.once('error', resolve)
    child.once('spawn', () => {
      child.unref()
      resolve(undefined)
    })
  })
}

function opener({ BROWSER }: NodeJS.ProcessEnv): string[] {
  if (BROWSER) return [BROWSER]
  if (process.platform === 'darwin') return ['open']
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return ['xdg-open']
}
