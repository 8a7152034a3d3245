import type { StoreError } from './store.ts'

/** Callers check the `code` instead of the class, because each bundle has its own copy of a class. */
export function storeError(code: StoreError['code'], message: string): StoreError {
  return Object.assign(new Error(message), { name: 'StoreError', code } as const)
}

/** Error of `store.user` when no user is signed in. */
export function noUser(): StoreError {
  return storeError(
    'NO_USER',
    'context.store.user needs a signed-in user. Set deploy.auth in mcp.config.json and deploy again, or use context.store.',
  )
}
