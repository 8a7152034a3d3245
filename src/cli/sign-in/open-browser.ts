import { spawn } from 'node:child_process'
import type { CommandContext } from '../command-line/command-context.ts'
import { openPrompts } from '../output/prompt.ts'

/** Opens a URL in a browser on this machine if the user agrees, or gave `--yes`. Does nothing without a terminal. */
export async function offerBrowser(context: CommandContext, url: string): Promise<void> {
  const { output, globals } = context
  if (!output.interactive) return
  if (!globals.yes && !(await confirmOpening(context))) return
  const error = await openBrowser(url, context.env)
  if (error) output.note(`Could not open a browser (${error.message}). Open the URL yourself.`)
}

async function confirmOpening({ signal }: CommandContext): Promise<boolean> {
  const prompt = await openPrompts({ signal })
  const message = 'Open it in a browser on this machine?'
  const { yes } = await prompt([{ type: 'confirm', name: 'yes', message, default: true }])
  return yes
}

/** Honours `BROWSER`, as other programs do. Returns the error of a browser that does not start. */
export function openBrowser(url: string, env: NodeJS.ProcessEnv): Promise<Error | undefined> {
  // The URL comes from a server. The opener accepts any URL, but only web pages may be passed to it.
  if (!/^https?:$/.test(new URL(url).protocol))
    return Promise.resolve(new Error(`${url} is not an http or https URL`))
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
