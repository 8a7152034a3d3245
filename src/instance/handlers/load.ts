/**
 * The large libraries behind the handlers, each loaded with the first call that needs it: thousands of servers share a
 * process, most of them idle, and a process that serves fixed text needs none of them.
 */
export const loadChecks = once(() => import('./argument-check.ts'))
export const loadTemplates = once(() => import('./liquid-templates.ts'))
export const loadHttp = once(() => import('./http-handler.ts'))

export type Templates = Awaited<ReturnType<typeof loadTemplates>>

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined
  return () => {
    loading ??= load()
    return loading
  }
}
