import { createTemplates, type Templates } from './compile-template.ts'
import { isPlainDefinition } from './plain-template.ts'

/**
 * The large libraries behind the handlers, each loaded with the first call that needs it: thousands of servers share a
 * process, most of them idle, and a process that serves fixed text needs none of them.
 */
export const loadChecks = once(() => import('./argument-check.ts'))
export const loadSamples = once(() => import('./sample-handler.ts'))
export const loadHttp = once(() => import('./http-handler.ts'))

export const loadLiquid = once(async (): Promise<Templates> => {
  const { compileText, compileJson, Rendering } = await import('./liquid-templates.ts')
  return { compileText, compileJson, Rendering }
})
const plainTemplates = createTemplates()

/** What compiles the templates of a definition: without Liquid where it needs none. */
export async function loadTemplates(definition: unknown): Promise<Templates> {
  return isPlainDefinition(definition) ? plainTemplates : loadLiquid()
}

export type { Templates }

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined
  return () => {
    loading ??= load()
    return loading
  }
}
