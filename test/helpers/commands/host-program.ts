import { flushCompileCache } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { CommandExit, CommandLine } from './command-host.ts'

/**
 * Runs commands of `dist/cli.js` one after another. `command-host.ts` starts this program and sends the command lines. Everything
 * that a command changes in its process is reset afterwards.
 */
const [cli, endOfOutput] = process.argv.slice(2) as [string, string]
const ownFolder = process.cwd()
const emitters = [process, process.stdout, process.stderr]
type Listener = (...args: unknown[]) => void
let runs = 0

process.on('message', message => void run(message as CommandLine))
process.on('disconnect', () => process.exit())
const ownListeners = new Set(
  emitters.flatMap(emitter => listenersOf(emitter).map(([, listener]) => listener)),
)

async function run({ args, env, cwd }: CommandLine): Promise<void> {
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...args)
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.chdir(cwd ?? ownFolder)
  process.exitCode = undefined
  // The entry module is evaluated again under each URL. The modules that it imports are loaded only once.
  await import(`${pathToFileURL(cli)}?run=${++runs}`)
  const code = Number(process.exitCode ?? 0)
  for (const listener of process.listeners('exit'))
    if (!ownListeners.has(listener as Listener)) listener(code)
  removeListeners()
  process.exitCode = undefined
  for (const stream of [process.stdout, process.stderr])
    await new Promise(resolve => stream.write(endOfOutput, resolve))
  // Lets hosts that start while this one is running use the compile cache.
  if (runs === 1) flushCompileCache()
  process.send!({ code } satisfies CommandExit)
}

function removeListeners(): void {
  for (const emitter of emitters)
    for (const [event, listener] of listenersOf(emitter))
      if (!ownListeners.has(listener)) emitter.removeListener(event, listener)
}

function listenersOf(emitter: NodeJS.EventEmitter): [string | symbol, Listener][] {
  return emitter
    .eventNames()
    .flatMap(event =>
      emitter
        .rawListeners(event)
        .map((listener): [string | symbol, Listener] => [event, listener as Listener]),
    )
}
