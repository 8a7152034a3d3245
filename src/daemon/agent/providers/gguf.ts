import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { HostingError } from '../../../shared/errors.ts'
import { homePaths } from '../../../shared/paths.ts'
import { createGgufModel, type LlamaChatLike } from './gguf-model.ts'

/** Subset of node-llama-cpp used here (https://node-llama-cpp.withcat.ai/api/functions/getLlama). */
interface NodeLlamaCpp {
  getLlama(options: {
    logLevel: string
  }): Promise<{ loadModel(options: { modelPath: string }): Promise<LlamaModel> }>
  LlamaChat: new (options: { contextSequence: unknown }) => LlamaChatLike
}
interface LlamaModel {
  createContext(): Promise<{ getSequence(): unknown }>
  dispose(): Promise<void>
}

/** Time until an unused model is unloaded. The next case of a suite can reuse it until then. A model takes gigabytes. */
const KEPT_IDLE_MS = 60_000

interface LoadedModel {
  file: string
  model: Promise<{ chat: LlamaChatLike; dispose(): Promise<void> }>
}
let loaded: LoadedModel | undefined
let idle: NodeJS.Timeout | undefined

/**
 * Throws NOT_FOUND for a missing file, INVALID_REQUEST for another file type, and UNAVAILABLE when node-llama-cpp is not
 * installed or cannot load the file.
 */
export async function openGguf(file: string): Promise<LanguageModelV4> {
  if (!existsSync(file)) throw new HostingError('NOT_FOUND', `The model file ${file} does not exist.`)
  requireGguf(file)
  if (loaded && loaded.file !== file) await unload()
  loaded ??= { file, model: load(file) }
  const { model } = loaded
  model.catch(() => (loaded = undefined)) // the next call tries again, and this one throws below
  clearTimeout(idle)
  idle = setTimeout(() => void unload(), KEPT_IDLE_MS).unref()
  const { chat } = await model
  return createGgufModel(file, chat)
}

/** Checked before the library reads the file, because the library's errors could reveal the content of other files. */
function requireGguf(file: string): void {
  const magic = Buffer.alloc(4)
  const descriptor = openSync(file, 'r')
  try {
    readSync(descriptor, magic)
  } finally {
    closeSync(descriptor)
  }
  if (magic.toString('latin1') !== 'GGUF')
    throw new HostingError('INVALID_REQUEST', `${file} is not a GGUF model file.`)
}

async function unload(): Promise<void> {
  const { model } = loaded ?? {}
  loaded = undefined
  await model?.then(
    one => one.dispose(),
    () => {}, // the model was never loaded
  )
}

async function load(file: string) {
  const { getLlama, LlamaChat } = await importLlama()
  try {
    const llama = await getLlama({ logLevel: 'error' })
    const model = await llama.loadModel({ modelPath: file })
    const context = await model.createContext()
    const chat = new LlamaChat({ contextSequence: context.getSequence() })
    return { chat, dispose: () => model.dispose() }
  } catch (cause) {
    throw new HostingError(
      'UNAVAILABLE',
      `The model file ${file} cannot be loaded: ${(cause as Error).message}`,
      { cause },
    )
  }
}

/** Imports node-llama-cpp from the `plugins` folder of the home, or from where this package is installed. */
async function importLlama(): Promise<NodeLlamaCpp> {
  const folder = join(homePaths().home, 'plugins')
  for (const from of [join(folder, 'package.json'), import.meta.filename]) {
    const path = resolveFrom(from)
    if (path) return import(pathToFileURL(path).href)
  }
  throw new HostingError('UNAVAILABLE', 'A gguf model needs node-llama-cpp, which is not installed.', {
    details: `It is not part of this package because of its size. Install it with: npm install --prefix ${folder} node-llama-cpp`,
    next: [{ description: 'Install it', command: `npm install --prefix ${folder} node-llama-cpp` }],
  })
}

function resolveFrom(file: string): string | undefined {
  try {
    return createRequire(file).resolve('node-llama-cpp')
  } catch {
    return undefined // not installed there
  }
}
