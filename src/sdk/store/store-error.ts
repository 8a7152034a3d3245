import type { StoreError } from './store.ts'

/** Users check the `code`, because each bundle has its own copy of a class. */
export function storeError(code: StoreError['code'], message: string): StoreError {
  return Object.assign(new Error(message), { name: 'StoreError', code } as const)
}
