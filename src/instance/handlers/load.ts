/**
 * The large libraries behind the handlers, each loaded with the first call that needs it: thousands of servers share a
 * process, most of them idle, and a process that serves fixed text needs none of them.
 */
export const loadChecks = once(() => import('./argument-check.ts'))
export const loadTemplates = once(() => import('./liquid-templates.ts'))
export const loadSamples = once(() => import('./sample-handler.ts'))
export const loadHttp = once(() => import('./http-handler.ts'))

export type Templates = Awaited<ReturnType<typeof loadTemplates>>

/** Loads what almost every server needs, and lets each do its work once: what is loaded but never ran is not compiled. */
export async function preload(): Promise<void> {
  const [checks, templates] = await Promise.all([loadChecks(), loadTemplates()])
  checks.compileArgumentCheck({ type: 'object' })({})
  templates.compileText('{{ ready }}')(
    new templates.Rendering({ args: {}, context: {}, data: null, env: {} }),
  )
}

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined
  return () => {
    loading ??= load()
    return loading
  }
}
