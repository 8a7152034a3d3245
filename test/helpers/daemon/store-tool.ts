import { callTool } from './daemon.ts'

/** Source of a handler module whose tool `run` runs an operation on the store of its server or user. */
export const storeTool = (version: number) => `
  import { defineTool } from 'mcp-hosting/server'
  export default defineTool({
    description: 'Runs an operation on the store',
    async handler({ op, args = [], at }, { store }) {
      try {
        const target = at === 'user' ? store.user : store
        if (op !== 'transfer') return { version: ${version}, result: (await target[op](...args)) ?? null }
        await store.transaction(async transaction => {
          const [from, to] = [await transaction.get('from'), await transaction.get('to')]
          transaction.set('from', (from ?? 0) - 1)
          transaction.set('to', (to ?? 0) + 1)
        })
        return { version: ${version}, result: null }
      } catch (error) {
        return { code: error.code, message: error.message }
      }
    },
  })`

/** Calls the tool of `storeTool`. Returns `{ version, result }`, or the code and message of an error. */
export async function runOnStore(url: string, op: string, args: unknown[] = [], at?: string) {
  const result = await callTool(url, 'run', { op, args, ...(at && { at }) })
  return JSON.parse(result.content[0].text)
}
