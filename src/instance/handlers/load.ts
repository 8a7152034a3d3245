import { createTemplates, type Templates } from './templates/compile-template.ts'
import { isPlainDefinition } from './templates/plain-template.ts'

/**
 * Large libraries that handlers use, each loaded by the first call that needs it. Thousands of mostly idle servers share a
 * process, and a process that serves only fixed text needs none of them.
 */
export const loadChecks = loadOnce(() => import('./argument-check.ts'))
export const loadSamples = loadOnce(() => import('./sample-handler.ts'))
export const loadHttp = loadOnce(() => import('./http/http-handler.ts'))

export const loadLiquid = loadOnce(async (): Promise<Templates> => {
  const { compileText, compileJson, Rendering } = await import('./templates/liquid-templates.ts')
  return { compileText, compileJson, Rendering }
})
const plainTemplates = createTemplates()

/** Returns the compiler for the templates of a definition. Loads Liquid only if needed. */
export async function loadTemplates(definition: unknown): Promise<Templates> {
  return isPlainDefinition(definition) ? plainTemplates : loadLiquid()
}

export type { Templates }

function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined
  return () => {
    loading ??= load()
    return loading
  }
}
